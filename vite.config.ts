import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [react(), tailwindcss()],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  // The shell looks for this port; another one would be a white page.
  server: { port: 1420, strictPort: true, watch: { ignored: ["**/target/**", "**/crates/**", "**/src-tauri/**"] } },
  build: {
    target: "safari16",
    chunkSizeWarningLimit: 1500,
    reportCompressedSize: false,
    // What every page needs comes in a few files, not in one for each icon: each is a request to the shell.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: "base",
              test: /node_modules\/(react|react-dom|scheduler|@tanstack\/(react-)?(router|query|history|store))/,
            },
            { name: "icons", test: /node_modules\/lucide-react/ },
            {
              name: "widgets",
              test: /node_modules\/(@radix-ui|@floating-ui|radix-ui|react-remove-scroll|aria-hidden|sonner|tailwind-merge|clsx)/,
            },
            { name: "shared", test: /src\/(ui|lib|ipc)\//, minShareCount: 3 },
          ],
        },
      },
    },
  },
  test: {
    environment: "jsdom",
    setupFiles: ["src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
    testTimeout: 30_000,
    restoreMocks: true,
  },
});
