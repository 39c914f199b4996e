/** Nothing of any other host; styles are written by the script as it goes. */
/** The pages run their own script and no other; styles are inline because their components write them so. */
export const pagesPolicy =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'";

/** The page asks for its scripts relative to itself, so it works behind any prefix of a proxy. */
export const docsPage = (folder: './' | 'docs/'): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Atelier API</title>
</head>
<body>
<div id="reference"></div>
<script src="${folder}scalar.js"></script>
<script src="${folder}start.js"></script>
</body>
</html>
`;

/** Without these the page would load fonts, offer services of its makers and send requests through their proxy. */
const configuration = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  showToolbar: 'never',
  hideClientButton: true,
  proxyUrl: '',
  persistAuth: false,
};

/** A file of its own, because the page runs no script that stands inside of it. */
export const startScript = `const url = new URL('../openapi.json', document.currentScript.src).href;
Scalar.createApiReference('#reference', { url, ...${JSON.stringify(configuration)} });
`;
