// How the panel looks. Sizes follow the visitor's own font size, never the page's.

export const RULES = `
.panel{--paper:light-dark(#fbfaf8,#131517);--words:light-dark(#1d2125,#eceae6);--soft:light-dark(#5a626a,#a8afb6);
--line:light-dark(#e6e3dc,#31363b);--edge:light-dark(#868d95,#757d85);--bad:light-dark(#a1260f,#ffb3a3);
all:unset;box-sizing:border-box;display:grid;grid-template:auto minmax(0,1fr) auto auto/minmax(0,1fr);overflow:hidden;
position:relative;background:var(--paper);color:var(--words);font:1em/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
-webkit-text-size-adjust:100%;text-size-adjust:100%;text-align:start}
.panel.light{color-scheme:light}.panel.dark{color-scheme:dark}.panel.auto{color-scheme:light dark}
.panel *{box-sizing:border-box}
.panel:not([open]):is(dialog),[hidden]{display:none!important}
dialog.panel{position:fixed;bottom:20px;width:min(25.5em,calc(100vw - 24px));height:min(42em,calc(100vh - 40px));border-radius:18px;
border:1px solid var(--line);box-shadow:0 18px 50px #0003,0 3px 12px #0002}
dialog.panel.right{right:20px}dialog.panel.left{left:20px}
dialog.panel.side_panel{top:0;bottom:0;height:100%;width:min(27em,100vw);border-radius:0;border-block:0}
dialog.side_panel.right{right:0;border-right:0}dialog.side_panel.left{left:0;border-left:0}
dialog.panel:modal{inset:var(--top,0px) 0 auto;width:100%;max-width:none;height:var(--height,100dvh);max-height:none;border:0;border-radius:0;box-shadow:none}
dialog.panel::backdrop{background:transparent}
section.panel{width:100%;height:100%}section.panel.inline{border:1px solid var(--line);border-radius:14px}
section.panel.full_page{--room:max(1.1em,calc(50% - 23em))}

h2,h3,p,ul,ol,blockquote,fieldset,legend{margin:0;padding:0;border:0;font:inherit}ul{list-style:none}
button,input,textarea{font:inherit;color:inherit;letter-spacing:inherit}
button{background:none;border:0;padding:0;cursor:pointer;touch-action:manipulation}button:disabled{cursor:default;opacity:.55}
a{color:var(--accent-ink);text-underline-offset:.15em;text-decoration-thickness:1px}a:hover{text-decoration-thickness:2px}
svg{display:block;width:1.25em;height:1.25em;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round;flex:none}
:focus{outline:0}:focus-visible{outline:2px solid var(--accent-ink);outline-offset:2px}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
:is(.note,.looking,.text,.state,.cited,.actions,.reading,.trouble,.tools,.rating,.why,.wait,.ways,.reference,.about):empty{display:none}

header{display:flex;align-items:center;gap:.7em;padding:.8em .7em .8em var(--room,1.1em);background:var(--surface);border-bottom:1px solid var(--line)}
header{padding-top:max(.8em,env(safe-area-inset-top))}
[dir=rtl] header{padding-inline:var(--room,1.1em) .7em}
.face{flex:none;display:grid;place-items:center;width:2.35em;height:2.35em;border-radius:50%;background:var(--fill);color:var(--on-fill);font-weight:650}
.who{flex:1;min-width:0}.who h2{font-weight:650;line-height:1.3}.who h2,.who p{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.who p{font-size:.82em;line-height:1.35;color:var(--soft)}
.icon{display:grid;place-items:center;width:2.4em;height:2.4em;min-width:24px;border-radius:10px;color:var(--soft)}
.icon:hover,.tool:hover{background:var(--tint);color:var(--words)}

.log{contain:strict;overflow-y:auto;overscroll-behavior:contain;scrollbar-width:thin;padding:1.2em var(--room,1.1em) .6em;overflow-wrap:anywhere}
.log:focus-visible{outline-offset:-2px}
.welcome{margin-bottom:1.4em}.greeting{font-size:1.1em;line-height:1.5;text-wrap:pretty}
.starters{display:flex;flex-direction:column;align-items:flex-start;gap:.5em;margin-top:1em}
.starters button{min-height:2.4em;padding:.45em 1em;text-align:start;border:1px solid var(--edge);border-radius:1.3em;background:var(--surface);color:var(--accent-ink)}
.starters button:hover{background:var(--tint)}
.about{margin-top:1em;font-size:.9em;color:var(--soft)}
.turns{list-style:none}.turn{contain:layout}.turn+.turn{margin-top:1.5em}
.said{width:fit-content;max-width:88%;margin-inline-start:auto;padding:.5em .95em;border-radius:1.15em;border-end-end-radius:.3em;background:var(--fill);color:var(--on-fill);white-space:pre-wrap}
.answer{margin-top:.85em}
.text>*+*{margin-top:.7em}.text :is(ul,ol){padding-inline-start:1.4em}.text ul{list-style:disc}.text li+li{margin-top:.25em}
.text strong{font-weight:650}code{font:.9em/1.4 ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--tint);border-radius:4px;padding:.1em .3em}
.note{width:fit-content;margin-bottom:.6em;padding:.2em .7em;font-size:.85em;color:var(--soft);border-inline-start:3px solid var(--fill)}
.state{display:flex;align-items:center;gap:.6em;color:var(--soft);font-size:.94em}.text:not(:empty)+.state{margin-top:.5em}
.dots{display:flex;gap:4px}.dots i{width:6px;height:6px;border-radius:50%;background:var(--accent-ink)}

.mark,.number{position:relative;display:inline-grid;place-items:center;min-width:1.55em;height:1.55em;padding:0 .35em;border-radius:.5em;background:var(--tint);color:var(--accent-ink);font-size:.72em;line-height:1;font-weight:650;font-variant-numeric:tabular-nums}
.end{white-space:nowrap}.mark{margin-inline:.3em .1em;vertical-align:.22em}:is(.mark,.number)::after{content:"";position:absolute;inset:-6px -2px}
button:is(.mark,.number):is(:hover,[aria-expanded=true]){background:var(--fill);color:var(--on-fill)}
h3{font-size:.8em;font-weight:650;color:var(--soft)}
.cited,.reading{margin-top:.9em}.cited ul,.reading ul{margin-top:.3em}
.cited li{display:flex;align-items:baseline;gap:.55em;padding:.22em 0;font-size:.92em;line-height:1.4}.cited .number{flex:none;font-size:.8em;min-width:24px;height:24px;align-self:flex-start}
.reading li{font-size:.92em;padding:.15em 0}.date{color:var(--soft)}
.looking{margin-bottom:.7em;font-size:.88em;color:var(--soft)}.looking ul{display:flex;flex-wrap:wrap;gap:.35em;margin-top:.3em}
.chip{display:block;padding:.15em .7em;border-radius:1em;background:var(--tint);text-decoration:none}
.actions{display:flex;flex-wrap:wrap;gap:.5em;margin-top:.9em}
.action,.way{display:inline-flex;align-items:center;min-height:2.4em;padding:.3em 1.05em;border:1px solid var(--accent-ink);border-radius:1.3em;color:var(--accent-ink);text-decoration:none;font-size:.94em;line-height:1.3;text-align:start}
.action:hover,.way:hover{background:var(--tint)}
.action:first-child,.main{background:var(--fill);border-color:var(--fill);color:var(--on-fill)}
.action:first-child:hover,.main:hover{background:var(--fill);text-decoration:underline}
.ways{display:flex;flex-wrap:wrap;gap:.5em;margin-top:.7em}
.trouble:not(:empty){margin-top:.8em;padding:.8em 1em;border:1px solid var(--line);border-inline-start:3px solid var(--bad);border-radius:10px;background:var(--surface)}
.trouble.soft{border-inline-start-color:var(--fill)}.why{color:var(--bad)}.soft .why{color:inherit}.wait{font-variant-numeric:tabular-nums}.wait,.reference{color:var(--soft);font-size:.9em}.reference{margin-top:.5em}.reference code{margin-inline-start:.4em;user-select:all}
.tools{display:flex;align-items:center;gap:.15em;margin:.6em 0 0;margin-inline-start:-.45em}
.tool{display:inline-flex;align-items:center;justify-content:center;gap:.4em;min-width:2.1em;height:2.1em;border-radius:8px;color:var(--soft);font-size:.92em}
.tool.words{padding:0 .6em;font-size:.88em}

.rating form{margin-top:.6em;padding:.9em 1em 1em;border:1px solid var(--line);border-radius:12px;background:var(--surface);font-size:.94em}
fieldset+fieldset{margin-top:.8em}legend{font-weight:600;margin-bottom:.4em}
.scale{display:grid;grid-template-columns:repeat(5,1fr);gap:.35em}
.scale label,.choices label{position:relative;display:block;cursor:pointer}
.scale input,.choices input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.scale span,.choices span{display:grid;place-items:center;min-height:2.3em;padding:.1em .8em;border:1px solid var(--edge);border-radius:.7em}
.scale span{padding:0}.choices{display:flex;flex-wrap:wrap;gap:.35em}.choices span{border-radius:1.2em}
:checked+span{background:var(--fill);border-color:var(--fill);color:var(--on-fill)}
input:focus-visible+span{outline:2px solid var(--accent-ink);outline-offset:2px}
.ends{display:flex;justify-content:space-between;font-size:.85em;color:var(--soft)}
.free{display:block;margin-top:.5em}.free input{width:100%;min-height:2.4em;padding:.3em .8em;font-size:max(16px,1em);border:1px solid var(--edge);border-radius:.7em;background:var(--paper)}
.thanks{display:flex;gap:.4em;align-items:center;margin-top:.5em;font-size:.9em;color:var(--soft)}

.card{position:absolute;inset-inline:.9em;top:var(--under,auto);bottom:var(--over,auto);z-index:2;max-height:45%;overflow:auto;padding:.8em 1em;border:1px solid var(--line);border-radius:12px;background:var(--surface);box-shadow:0 8px 28px #0003;font-size:.92em;line-height:1.5}
section.full_page .card{inset-inline:max(1.1em,calc(50% - 25em))}
.card .title{font-weight:600}.card blockquote{margin-top:.35em;padding-inline-start:.8em;border-inline-start:3px solid var(--fill);color:var(--soft)}
.below{position:relative;background:var(--surface);border-top:1px solid var(--line);padding:.7em var(--room,.8em) max(.7em,env(safe-area-inset-bottom))}
.jump{position:absolute;top:-3.2em;inset-inline-start:calc(50% - 1.2em);width:2.4em;height:2.4em;display:grid;place-items:center;border-radius:50%;border:1px solid var(--line);background:var(--surface);color:var(--accent-ink);box-shadow:0 2px 8px #0002}
.asking{padding:.8em var(--room,1.1em);background:var(--tint);border-top:1px solid var(--line)}
.field{display:flex;align-items:flex-end;gap:.3em;padding:.25em;padding-inline-start:.9em;border:1px solid var(--edge);border-radius:1.5em;background:var(--paper)}
.field:focus-within{border-color:var(--accent-ink);box-shadow:0 0 0 1px var(--accent-ink)}
textarea{flex:1;min-width:0;field-sizing:content;resize:none;min-height:2.5em;max-height:8.5em;margin:0;padding:.5em 0;border:0;background:none;font-size:max(16px,1em);line-height:1.5}
textarea:focus-visible{outline:0}textarea::placeholder{color:var(--soft);opacity:1}
.send{flex:none;display:grid;place-items:center;width:2.5em;height:2.5em;border-radius:50%;background:var(--fill);color:var(--on-fill)}
.send[aria-disabled=true]{background:var(--tint);color:var(--soft);cursor:default}
.room,.fine{margin:.45em .3em 0;font-size:.78em;line-height:1.4;color:var(--soft);text-wrap:pretty}
.room:empty,.fine:empty{display:none}

@media(pointer:coarse){textarea{min-height:44px}.icon,.tool,.send,.action,.way,.starters button,.jump{min-width:44px;min-height:44px}.scale span,.choices span{min-height:44px}.mark{margin-inline:.5em}.mark::after{inset:-14px -5px}.cited li{min-height:44px;align-items:center}.cited .number{align-self:center}.number::after{inset:-10px}.cited a,.reading a,.chip{padding-block:.6em}}
@media(max-width:360px){.face{display:none}}
@media(max-height:420px){.fine{display:none}}
@media(prefers-reduced-motion:no-preference){
dialog.panel[open]:not(.still){animation:rise .22s ease-out}@keyframes rise{from{opacity:0;transform:translateY(10px)}}
.dots i{animation:breathe 1.3s infinite ease-in-out}.dots i:nth-child(2){animation-delay:.15s}.dots i:nth-child(3){animation-delay:.3s}
@keyframes breathe{0%,60%,100%{opacity:.25}30%{opacity:1}}.card{animation:appear .12s}@keyframes appear{from{opacity:0}}}
@media(forced-colors:active){.send,.face,.mark,.number,.said,.action,.way,.main,:checked+span{border:1px solid}:checked+span,.send{forced-color-adjust:none;background:Highlight;color:HighlightText}.dots i{background:CanvasText}svg{stroke:currentColor}}
@media print{.below,.tools,.rating,.jump{display:none}}`;
