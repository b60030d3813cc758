import { fileURLToPath } from "node:url";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/**
 * In a build the frame of index.html is drawn first: its style sheet comes before the code, and `public/start.js` is told which files
 * the code is in, to fetch them afterwards. As Vite writes the page, the style sheet is asked for behind a dozen scripts.
 */
function frameFirst(): Plugin {
  const take = (html: string, what: RegExp): [string, string[]] => {
    const found = [...html.matchAll(what)].map(([whole, href = whole]) => href);
    if (found.length === 0) throw new Error(`index.html has nothing like ${what}`);
    return [html.replace(what, ""), found];
  };
  return {
    name: "frame-first",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(page) {
        const [bare, main] = take(page, /<script type="module"[^>]* src="([^"]+)"><\/script>\s*/g);
        const [plain, others] = take(bare, /<link rel="modulepreload"[^>]* href="([^"]+)">\s*/g);
        const [html, styles] = take(plain, /<link rel="stylesheet"[^>]* href="([^"]+)">\s*/g);
        const links = styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("");
        return html.replace(
          '<script src="/start.js"></script>',
          `<script src="/start.js" data-code="${[...main, ...others].join(" ")}"></script>${links}`,
        );
      },
    },
  };
}

export default defineConfig({
  plugins: [react(), tailwindcss(), frameFirst()],
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
    // The order counts: whatever is imported after the first is imported as in the window.
    setupFiles: ["src/test/freeze.ts", "src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
    testTimeout: 30_000,
    // By default one processor is left free, which of two is half.
    maxWorkers: "100%",
    restoreMocks: true,
  },
});
