import Cryptography
import Messages
import RPC
import ServiceRuntime
import TestSupport
import Testing

@Suite("A server passes calls on as they are", .timeLimit(.minutes(1)))
struct RelayTests {
    private static let unary = [
        EchoService.async, EchoService.gated, EchoService.limited, EchoService.longAsync,
        EchoService.caller,
    ]
    private static let streams = [
        EchoService.count, EchoService.held, EchoService.gather, EchoService.first,
        EchoService.chat,
    ]

    /// Runs `body` with a client of a server in front of the echo service.
    private static func run(
        limits: Loopback.Limits = Loopback.Limits(), adding metadata: [String: String] = [:],
        _ body: @escaping @Sendable (Loopback, RPCClient) async throws -> Void
    ) async throws {
        try await Loopback.run(limits: limits) { loopback in
            let peer = loopback.client
            let handlers =
                unary.map { method in
                    MethodHandler.relay(method) { _, context in
                        var onward = context.onward()
                        for (key, value) in metadata { onward.metadata[key] = value }
                        return .now(peer, onward)
                    }
                }
                + streams.map { method in
                    MethodHandler.relayStream(method) { call in
                        // One of them calls the peer when the first item is there.
                        var first: [UInt8]?
                        if method == EchoService.gather { first = try await call.firstItem() }
                        let context = call.context.onward()
                        return try await call.relay(
                            to: peer.stream(method, payload: call.request, context), after: first)
                    }
                }
            let front = try await RPCServer.start(
                ServerSettings(service: "postern.front", host: "127.0.0.1", port: 0),
                services: [
                    ServiceMethods(
                        ServiceDescription(name: "test.v1.Echo", methods: [], fileDescriptors: []),
                        handlers)
                ],
                applications: Applications(
                    name: TestKey.application, keyID: TestKey.keyID, key: TestKey.right,
                    mayAssertClientAddress: true),
                group: loopback.group, time: SystemTime(), randomness: SecureRandomness(),
                logger: CapturedLog().logger())
            let client = Loopback.client(
                port: front.port, group: loopback.group, service: "postern.front")
            try await body(loopback, client)
            client.close()
            loopback.gate.open()
            await front.drain()
        }
    }

    private static func call(
        _ client: RPCClient, _ method: MethodDescription, _ text: String,
        timeout: Duration = .seconds(20)
    ) async throws -> EchoService.Response {
        var context = client.context(timeout: timeout)
        context.metadata[Metadata.Key.clientAddress] = "192.0.2.1"
        return try await client.call(method, EchoService.Request(accessToken: text), context)
    }

    @Test("a response comes back as it was, and metadata are those that the server writes")
    func answers() async throws {
        try await Self.run { _, client in
            for text in ["", "hello", String(repeating: "x", count: 100_000)] {
                #expect(try await Self.call(client, EchoService.async, text).sessionId == text)
            }
            let caller = try await Self.call(client, EchoService.caller, "")
            #expect(caller.accountId == "", "the caller's address is not passed on by itself")
        }
    }

    @Test("an error comes back with its details, and a long response whole")
    func errors() async throws {
        try await Self.run { _, client in
            let limited = await #expect(throws: ServiceError.self) {
                try await Self.call(client, EchoService.limited, "")
            }
            #expect(limited?.code == .tooManyRequests && limited?.fields == ["email"])
            #expect(limited?.retryAfter == .milliseconds(1_500))
            let long = try await Self.call(client, EchoService.longAsync, "120000")
            #expect(long.sessionId.utf8.count == 120_000)
        }
    }

    @Test("a caller that cancels, and a deadline that passes, cancel the call that was passed on")
    func cancelled() async throws {
        try await Self.run { loopback, client in
            let waiting = Task { try await Self.call(client, EchoService.gated, "") }
            await loopback.gate.entered(1)
            waiting.cancel()
            await loopback.gate.cancelled(1)
            let late = await #expect(throws: ServiceError.self) {
                try await Self.call(client, EchoService.gated, "", timeout: .milliseconds(300))
            }
            #expect(late?.code == .deadlineExceeded)
            await loopback.gate.cancelled(2)
            let next = try await Self.call(client, EchoService.async, "on")
            #expect(next.sessionId == "on")
        }
    }

    @Test("a request that fills its caller's frame fits into the next one, with other metadata")
    func frames() async throws {
        var limits = Loopback.Limits()
        limits.frameBytesMax = FrameLimits.frameBytesBetweenPrograms
        let added = ["authorization": String(repeating: "t", count: 3_500)]
        try await Self.run(limits: limits, adding: added) { loopback, client in
            let other = try await Loopback.server(loopback.echo, group: loopback.group)
            let direct = Loopback.client(port: other.port, group: loopback.group)
            // What fits is known from a server with the same limit that passes nothing on.
            var length = FrameLimits.frameBytesDefault
            while try await Self.isTooLong(length, direct) { length -= 1 }
            #expect(length > FrameLimits.frameBytesDefault - 256)
            let text = String(repeating: "x", count: length)
            #expect(try await Self.call(client, EchoService.async, text).sessionId == text)
            direct.close()
            await other.drain()
        }
    }

    private static func isTooLong(_ length: Int, _ client: RPCClient) async throws -> Bool {
        do {
            _ = try await call(
                client, EchoService.async, String(repeating: "x", count: length))
            return false
        } catch let error as ServiceError where error.code == .resourceExhausted {
            return true
        }
    }

    @Test("items of both sides pass, in order, each at its reader's pace")
    func items() async throws {
        try await Self.run { loopback, client in
            let context = client.context(timeout: .seconds(20))
            let counted: IncomingItems<EchoService.Response> = client.serverStream(
                EchoService.count, EchoService.Request(accessToken: "1000"), context)
            var numbers: [String] = []
            for try await item in counted { numbers.append(item.sessionId) }
            #expect(numbers == (0..<1_000).map(String.init))

            let failing: IncomingItems<EchoService.Response> = client.serverStream(
                EchoService.count, EchoService.Request(accessToken: "2!"), context)
            let error = await #expect(throws: ServiceError.self) { for try await _ in failing {} }
            #expect(error?.code == .tooManyRequests)

            let gather: ClientStreamCall<EchoService.Request, EchoService.Response> =
                client.clientStream(EchoService.gather, context)
            for number in 0..<500 {
                try await gather.outgoing.write(.init(accessToken: "\(number)"))
            }
            gather.outgoing.finish()
            #expect(try await gather.response().sessionId == "500 499")

            let chat: BidirectionalCall<EchoService.Request, EchoService.Response> =
                client.bidirectional(EchoService.chat, context)
            let answers = chat.incoming.makeAsyncIterator()
            for word in ["a", "b"] {
                try await chat.outgoing.write(.init(accessToken: word))
                #expect(try await answers.next()?.sessionId == word)
            }
            chat.outgoing.finish()
            #expect(try await answers.next() == nil)
        }
    }

    @Test("an owner that answers before the last item ends the call; so does a caller that leaves")
    func ends() async throws {
        try await Self.run { loopback, client in
            let context = client.context(timeout: .seconds(20))
            let first: ClientStreamCall<EchoService.Request, EchoService.Response> =
                client.clientStream(EchoService.first, context)
            try await first.outgoing.write(.init(accessToken: "one"))
            #expect(try await first.response().sessionId == "one")

            let held: IncomingItems<EchoService.Response> = client.serverStream(
                EchoService.held, EchoService.Request(), context)
            let reader = Task { for try await _ in held {} }
            await loopback.gate.entered(1)
            reader.cancel()
            await loopback.gate.cancelled(1)
        }
    }
}
