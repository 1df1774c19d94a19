import OpenAI from "openai";

export async function ask(question, tools, run) {
  const openai = new OpenAI();
  const messages = [{ role: "user", content: question }];
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model: "gpt-5-mini", messages, tools });
    const { message } = choices[0];
    if (!message.tool_calls) return message.content;
    messages.push(message);
    for (const call of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: call.id, content: run(call) });
  }
}
