// Waits until MailDev has a mail to an address and prints its subject and recipient.
//
//   node wait-for-mail.mjs http://127.0.0.1:1080 anna@example.com 60

import { setTimeout as pause } from "node:timers/promises";

const [base, recipient, seconds] = process.argv.slice(2);
const deadline = Date.now() + Number(seconds) * 1000;

async function findMail() {
  const answer = await fetch(`${base}/email`);
  const mails = await answer.json();
  return mails.find((mail) => (mail.to ?? []).some((to) => to.address === recipient));
}

for (;;) {
  const mail = await findMail();
  if (mail) {
    console.log(`${mail.subject}\n${recipient}\n${mail.id}`);
    break;
  }
  if (Date.now() > deadline) {
    process.exitCode = 1;
    break;
  }
  await pause(200);
}
