// Unpacks the browser that npm brings, with the system libraries that it needs, into TMPDIR.
import brought from '@sparticuz/chromium';

brought.setGraphicsMode = false;
await brought.executablePath();
