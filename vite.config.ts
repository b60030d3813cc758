import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // The shell looks for this port; another one would be a white page.
  server: { port: 1420, strictPort: true, watch: { ignored: ["**/target/**", "**/crates/**", "**/src-tauri/**"] } },
  build: { target: "safari16", chunkSizeWarningLimit: 1500, reportCompressedSize: false },
  test: {
    environment: "jsdom",
    setupFiles: ["src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
    testTimeout: 30_000,
    restoreMocks: true,
  },
});
