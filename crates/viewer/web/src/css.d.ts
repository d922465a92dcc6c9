// The bundler includes style sheets.
declare module '*.css';
