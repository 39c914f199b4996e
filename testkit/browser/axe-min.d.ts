/** The minified build of axe-core, which is published without types. */
declare module 'axe-core/axe.min.js' {
  import axe from 'axe-core';
  export default axe;
}
