import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("Streams over TCP: how they end", .timeLimit(.minutes(1)))
struct StreamEndTests {
    @Test("cancelling a task ends its stream and cancels the handler")
    func cancel() async throws {
        try await Loopback.run { loopback in
            let items = loopback.serverStream(EchoService.held)
            let task = Task { try await loopback.texts(of: items) }
            await loopback.gate.entered(1)
            task.cancel()
            let error = await #expect(throws: ServiceError.self) { try await task.value }
            #expect(error?.code == .cancelled)
            await loopback.gate.cancelled(1)
            try await loopback.expectEcho(EchoService.onLoop, "next")
        }
    }

    @Test("dropping a stream ends its call and cancels the handler")
    func dropped() async throws {
        try await Loopback.run { loopback in
            do {
                let items = loopback.serverStream(EchoService.held)
                for try await _ in items { break }
            }
            await loopback.gate.cancelled(1)
            do {
                let call = loopback.collect()
                try await call.outgoing.write("one")
                await loopback.gate.entered(2)
            }
            await loopback.gate.cancelled(2)
        }
    }

    @Test("a task that waits for the answer or for credit can be cancelled")
    func cancelWaiting() async throws {
        try await Loopback.run(limits: Loopback.Limits(streamCredit: 1)) { loopback in
            for isWriting in [false, true] {
                let call = loopback.collect()
                try await call.outgoing.write("one")
                let task = Task {
                    if isWriting { try await call.outgoing.write("two") }
                    return try await call.response().sessionId
                }
                await loopback.gate.entered(isWriting ? 2 : 1)
                task.cancel()
                let error = await #expect(throws: ServiceError.self) { try await task.value }
                #expect(error?.code == .cancelled)
                await loopback.gate.cancelled(isWriting ? 2 : 1)
            }
        }
    }

    @Test(
        "Protos/README.md, Call: a stream ends at its deadline, on either side",
        arguments: [false, true])
    func deadline(isClient: Bool) async throws {
        try await Loopback.run { loopback in
            try await loopback.expectEcho(EchoService.onLoop, "greeted")
            let clock = ContinuousClock()
            let started = clock.now
            if isClient {
                let items = loopback.serverStream(EchoService.held, timeout: .milliseconds(500))
                let error = await #expect(throws: ServiceError.self) {
                    try await loopback.texts(of: items)
                }
                #expect(error?.code == .deadlineExceeded)
                #expect(started.duration(to: clock.now) >= .milliseconds(490))
            } else {
                let peer = try RawPeer.greeted(port: loopback.server.port)
                peer.open(1, EchoService.collect, timeout: 150)
                #expect(try peer.response(1).error?.code == "rpc/deadline-exceeded")
            }
            await loopback.gate.cancelled(1)
        }
    }

    @Test("a lost connection ends its streams as unavailable", arguments: [false, true])
    func lostServer(isWriting: Bool) async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            let client = Loopback.client(port: listener.port, group: loopback.group)
            let call: BidirectionalCall<EchoService.Request, EchoService.Response> =
                client.bidirectional(EchoService.chat, client.context(timeout: .seconds(20)))
            let task = Task {
                if isWriting { try await call.outgoing.write("no credit") }
                for try await _ in call.incoming {}
            }
            do {
                let server = try listener.accept()
                server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
                while let kind = try server.receive() {
                    if case .request = kind { break }
                }
            }
            let error = await #expect(throws: ServiceError.self) { try await task.value }
            #expect(error?.code == .unavailable)
            client.close()
        }
    }

    @Test("a peer's disconnect cancels its streams' handlers", arguments: [false, true])
    func lostClient(isHalf: Bool) async throws {
        try await Loopback.run { loopback in
            var peer: RawPeer? = try RawPeer.greeted(
                port: loopback.server.port, streamCredit: 1)
            peer?.open(1, EchoService.collect)
            peer?.send(2, EchoService.held)
            peer?.send(3, EchoService.count, "100")
            peer?.open(4, EchoService.chat)
            await loopback.gate.entered(2)
            if isHalf { peer?.shutDown() } else { peer = nil }
            await loopback.gate.cancelled(2)
            try await loopback.expectEcho(EchoService.onLoop, "next")
            // The handlers that wait for credit and for items end as well.
            while loopback.server.runningCount > 0 {
                try await loopback.expectEcho(EchoService.async, "again")
            }
        }
    }

    @Test(
        "Protos/README.md, Streams: a drain ends watches at once and lets other streams finish")
    func drain() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port, streamCredit: 8)
            peer.send(1, EchoService.watch)
            peer.send(2, EchoService.held)
            await loopback.gate.entered(2)
            async let drained: Void = loopback.server.drain()
            let end = try peer.response(1)
            #expect(end.error?.code == "rpc/unavailable")
            #expect(!end.notProcessed)
            await loopback.gate.cancelled(1)
            loopback.gate.open()
            #expect(try peer.items(until: 2) == ["after"])
            #expect(try peer.receive() == nil)
            peer.shutDown()
            await drained
        }
    }

    @Test("a closing client ends its watches and lets other streams finish")
    func close() async throws {
        try await Loopback.run { loopback in
            let watch = loopback.serverStream(EchoService.watch)
            let held = loopback.serverStream(EchoService.held)
            await loopback.gate.entered(2)
            loopback.client.close()
            let error = await #expect(throws: ServiceError.self) {
                try await loopback.texts(of: watch)
            }
            #expect(error?.code == .unavailable)
            loopback.gate.open()
            let texts = try await loopback.texts(of: held)
            #expect(texts == ["before", "after"])
        }
    }
}
