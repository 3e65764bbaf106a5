import { chromium } from "@playwright/test";
import { readdirSync, readFileSync } from "node:fs";
const [folder, out, per, cols, w] = process.argv.slice(2);
const files = readdirSync(folder).filter(f=>f.endsWith(".png")).sort();
const b = await chromium.launch({executablePath:"/usr/bin/chromium",args:["--no-sandbox","--disable-gpu"]});
const p = await b.newPage({viewport:{width:+cols*(+w+8)+8,height:600}});
for (let i=0,n=0;i<files.length;i+=+per,n++){
  const html = files.slice(i,i+ +per).map(f=>`<figure style="margin:4px;display:inline-block;vertical-align:top;width:${w}px"><figcaption style="font:12px sans-serif">${f}</figcaption><img style="width:100%;border:1px solid #888" src="data:image/png;base64,${readFileSync(folder+"/"+f).toString("base64")}"></figure>`).join("");
  await p.setContent(`<body style="margin:0;background:#ddd;font-size:0">${html}`);
  await p.screenshot({path:`${out}-${n}.png`,fullPage:true});
}
await b.close(); console.log(files.length);
