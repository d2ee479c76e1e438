import Messages
import NIOPosix
import RPC
import ServiceRuntime
import Testing

@Suite("Streams over TCP: each kind", .timeLimit(.minutes(1)))
struct StreamTests {
    @Test("a server's items arrive in order, and the stream ends", arguments: [0, 1, 64, 1_000])
    func serverStream(count: Int) async throws {
        try await Loopback.run { loopback in
            let texts = try await loopback.texts(of: loopback.count("\(count)"))
            #expect(texts == (0..<count).map(String.init))
        }
    }

    @Test("a client's items arrive in order and get an answer", arguments: [0, 1, 64, 1_000])
    func clientStream(count: Int) async throws {
        try await Loopback.run { loopback in
            loopback.gate.open()
            let call = loopback.collect()
            for number in 0..<count { try await call.outgoing.write("\(number)") }
            call.outgoing.finish()
            let answer = try await call.response().sessionId
            #expect(answer == "\(count) \(count == 0 ? "" : "\(count - 1)")")
        }
    }

    @Test("the sides of a bidirectional call send independently, and both end")
    func bidirectional() async throws {
        try await Loopback.run { loopback in
            let call = loopback.chat()
            let answers = call.incoming.makeAsyncIterator()
            for number in 0..<300 {
                try await call.outgoing.write("\(number)")
                if number % 3 == 2 {
                    for expected in number - 2...number {
                        let answer = try await answers.next()
                        #expect(answer?.sessionId == "\(expected)")
                    }
                }
            }
            call.outgoing.finish()
            #expect(try await answers.next() == nil)
            #expect(try await answers.next() == nil)
        }
    }

    @Test("items can be read on the connection's own event loop")
    func onLoop() async throws {
        try await Loopback.run { loopback in
            let executor = EventLoopTaskExecutor(loopback.group.next())
            let texts = try await Task(executorPreference: executor) {
                try await loopback.texts(of: loopback.count("1000"))
            }.value
            #expect(texts == (0..<1_000).map(String.init))
        }
    }

    @Test("Protos/README.md, Streams: items before the Response arrive, and none after it")
    func failure() async throws {
        try await Loopback.run { loopback in
            let items = loopback.count("3!").makeAsyncIterator()
            for number in 0..<3 {
                let item = try await items.next()
                #expect(item?.sessionId == "\(number)")
            }
            let error = try await #require(throws: ServiceError.self) { try await items.next() }
            #expect(error.code == .tooManyRequests)
            #expect(error.retryAfter == .milliseconds(700))
        }
    }

    @Test("an answer before the last item ends the call, and the next write fails")
    func earlyAnswer() async throws {
        try await Loopback.run { loopback in
            let call: ClientStreamCall<EchoService.Request, EchoService.Response> =
                loopback.client.clientStream(
                    EchoService.first, loopback.client.context(timeout: .seconds(20)))
            try await call.outgoing.write("one")
            let answer = try await call.response().sessionId
            #expect(answer == "one")
            let error = try await #require(throws: ServiceError.self) {
                try await call.outgoing.write("two")
            }
            #expect(error.code == .cancelled)
        }
    }

    @Test("Protos/README.md, Streams: a slow consumer stops only its own stream")
    func slowBesideFast() async throws {
        try await Loopback.run { loopback in
            let slow = loopback.count("2000").makeAsyncIterator()
            #expect(try await slow.next()?.sessionId == "0")
            let fast = try await loopback.texts(of: loopback.count("5000"))
            #expect(fast.count == 5_000)
            try await loopback.expectEcho(EchoService.async, "unary")
            for number in 1..<2_000 {
                let item = try await slow.next()
                #expect(item?.sessionId == "\(number)")
            }
            #expect(try await slow.next() == nil)
        }
    }

    @Test("if too many bytes wait on a connection, the stream that holds the most ends, no other")
    func heldMost() async throws {
        try await Loopback.run { loopback in
            // Two streams hold nearly all that may wait, since nobody reads their items.
            let large = String(repeating: "x", count: 65_700)
            var slow: [BidirectionalCall<EchoService.Request, EchoService.Response>] = []
            for count in [127, 128] {
                slow.append(loopback.chat())
                for _ in 0..<count { try await slow[slow.count - 1].outgoing.write(large) }
            }
            let quick = loopback.chat()
            let answers = quick.incoming.makeAsyncIterator()
            let small = String(repeating: "x", count: 60_000)
            for _ in 0..<200 {
                try await quick.outgoing.write(small)
                #expect(try await answers.next()?.sessionId.utf8.count == 60_000)
            }
            #expect(try await !Self.isEnded(slow[0].incoming))
            #expect(try await Self.isEnded(slow[1].incoming))
        }
    }

    /// Whether 127 items cannot be read.
    private static func isEnded(
        _ items: IncomingItems<EchoService.Response>
    ) async throws -> Bool {
        let items = items.makeAsyncIterator()
        do {
            for _ in 0..<127 { _ = try await items.next() }
            return false
        } catch let error as ServiceError where error.code == .resourceExhausted {
            return true
        }
    }

    @Test("a tool can call a method of any kind with encoded messages")
    func packed() async throws {
        try await Loopback.run { loopback in
            let request = EchoService.Request(accessToken: "3").encoded()
            let call = loopback.client.stream(
                EchoService.count, payload: request, loopback.client.context(timeout: .seconds(20)))
            var texts: [String] = []
            for try await item in call.incoming {
                texts.append(try EchoService.Response(decoding: item).sessionId)
            }
            #expect(texts == ["0", "1", "2"])
            #expect(try await call.response() == [])
        }
    }

    @Test("an item over the peer's frame limit fails in the writer")
    func tooLarge() async throws {
        try await Loopback.run(limits: Loopback.Limits(frameBytesMax: 1_024)) { loopback in
            let call = loopback.chat()
            try await call.outgoing.write("small")
            let error = try await #require(throws: ServiceError.self) {
                try await call.outgoing.write(String(repeating: "x", count: 1_100))
            }
            #expect(error.code == .resourceExhausted)
            try await call.outgoing.write("small again")
            let answers = call.incoming.makeAsyncIterator()
            #expect(try await answers.next()?.sessionId == "small")
            #expect(try await answers.next()?.sessionId == "small again")
        }
    }
}

extension Loopback {
    func count(
        _ text: String, timeout: Duration = .seconds(20)
    ) -> IncomingItems<EchoService.Response> {
        serverStream(EchoService.count, text, timeout: timeout)
    }

    func serverStream(
        _ method: MethodDescription, _ text: String = "", timeout: Duration = .seconds(20)
    ) -> IncomingItems<EchoService.Response> {
        client.serverStream(
            method, EchoService.Request(accessToken: text), client.context(timeout: timeout))
    }

    func collect(
        timeout: Duration = .seconds(20)
    ) -> ClientStreamCall<EchoService.Request, EchoService.Response> {
        client.clientStream(EchoService.collect, client.context(timeout: timeout))
    }

    func chat(
        timeout: Duration = .seconds(20)
    ) -> BidirectionalCall<EchoService.Request, EchoService.Response> {
        client.bidirectional(EchoService.chat, client.context(timeout: timeout))
    }

    func texts(of items: IncomingItems<EchoService.Response>) async throws -> [String] {
        var texts: [String] = []
        for try await item in items { texts.append(item.sessionId) }
        return texts
    }
}

extension OutgoingItems<EchoService.Request> {
    func write(_ text: String) async throws {
        try await write(EchoService.Request(accessToken: text))
    }
}
