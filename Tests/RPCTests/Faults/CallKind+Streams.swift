import Messages
import RPC

/// Each kind of stream: one that ends normally, and those that one side abandons or never ends.
extension CallKind {
    /// Items that one side may send ahead. Few, so that these calls wait for credit.
    static let streamCredit: UInt32 = 8
    /// Items of a call: several grants' worth.
    private static let itemCount = 20

    static let streams = [
        CallKind(name: "server stream") { client, context, _ in
            let items = serverStream(EchoService.count, "\(itemCount)", client, context)
            return try await texts(of: items) == (0..<itemCount).map(String.init)
        },
        CallKind(name: "server stream whose reader goes away") { client, context, _ in
            let items = serverStream(EchoService.count, "\(itemCount)", client, context)
            return try await items.makeAsyncIterator().next()?.sessionId == "0"
        },
        CallKind(name: "server stream that falls silent", waits: true) { client, context, text in
            let items = serverStream(EchoService.held, text, client, context)
            return try await texts(of: items) == ["before", "after"]
        },
        clientStream("client stream", EchoService.gather),
        clientStream("client stream whose items are not taken", EchoService.collect, waits: true),
        CallKind(name: "bidirectional") { client, context, text in
            let call = chat(client, context)
            let sent = (0..<itemCount).map { "\(text) \($0)" }
            async let answers = texts(of: call.incoming)
            for item in sent { try await call.outgoing.write(item) }
            call.outgoing.finish()
            return try await answers == sent
        },
        CallKind(name: "bidirectional without an end", waits: true) { client, context, text in
            let call = chat(client, context)
            try await call.outgoing.write(text)
            return try await texts(of: call.incoming) == [text]
        },
    ]

    private static func clientStream(
        _ name: String, _ method: MethodDescription, waits: Bool = false
    ) -> CallKind {
        CallKind(name: name, waits: waits) { client, context, text in
            let call: ClientStreamCall<EchoService.Request, EchoService.Response> =
                client.clientStream(method, context)
            for number in 0..<itemCount { try await call.outgoing.write("\(text) \(number)") }
            call.outgoing.finish()
            let answer = try await call.response().sessionId
            return answer == "\(itemCount) \(text) \(itemCount - 1)"
        }
    }

    private static func serverStream(
        _ method: MethodDescription, _ text: String, _ client: RPCClient, _ context: CallContext
    ) -> IncomingItems<EchoService.Response> {
        client.serverStream(method, EchoService.Request(accessToken: text), context)
    }

    private static func chat(
        _ client: RPCClient, _ context: CallContext
    ) -> BidirectionalCall<EchoService.Request, EchoService.Response> {
        client.bidirectional(EchoService.chat, context)
    }

    private static func texts(
        of items: IncomingItems<EchoService.Response>
    ) async throws -> [String] {
        var texts: [String] = []
        for try await item in items { texts.append(item.sessionId) }
        return texts
    }
}
