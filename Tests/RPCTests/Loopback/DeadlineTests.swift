import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("Calls over TCP: deadlines and cancels", .timeLimit(.minutes(1)))
struct DeadlineTests {
    @Test(
        "Protos/README.md, Call: the server answers DEADLINE_EXCEEDED and cancels the handler")
    func server() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.gated, timeout: 60)
            #expect(try peer.response(1).error?.code == "rpc/deadline-exceeded")
            await loopback.gate.cancelled(1)
            peer.send(2, EchoService.onLoop, "next")
            #expect(try peer.response(2).status == 0)
        }
    }

    @Test("Protos/README.md, Call: a late handler counts as running, and its answer is dropped")
    func stubborn() async throws {
        try await Loopback.run(limits: Loopback.Limits(callsMax: 1)) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.stubborn, timeout: 60)
            #expect(try peer.response(1).error?.code == "rpc/deadline-exceeded")
            #expect(loopback.server.runningCount == 1)
            peer.send(2, EchoService.async)
            #expect(try peer.response(2).error?.code == "rpc/resource-exhausted")
            loopback.gate.open()
            // A late answer would come before the answer to a later call.
            var call: UInt64 = 2
            var isServed = false
            while !isServed, call < 1_000 {
                call += 1
                peer.send(call, EchoService.async)
                guard case .response(let response) = try peer.receive() else { break }
                #expect(response.call == call)
                isServed = response.status == 0
            }
            #expect(isServed)
        }
    }

    @Test(
        "Protos/README.md, Call: a call with too little time left is rejected at once",
        arguments: [
            UInt32(1), 5,
        ])
    func tooLate(milliseconds: UInt32) async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.onLoop, timeout: milliseconds)
            let response = try peer.response(1)
            #expect(response.error?.code == "rpc/deadline-exceeded")
            #expect(response.notProcessed)
        }
    }

    @Test(
        "Protos/README.md, Client: at its deadline a client ends the call and sends a Cancel")
    func client() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            let client = Loopback.client(port: listener.port, group: loopback.group)
            async let outcome = loopback.outcome(of: client, timeout: .milliseconds(800))
            let server = try listener.accept()
            server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            var kinds: [String] = []
            while let kind = try server.receive() {
                kinds.append("\(kind)".prefix { $0 != "(" }.description)
                if case .cancel = kind { break }
            }
            #expect(kinds == ["hello", "request", "cancel"])
            #expect(await outcome == .deadlineExceeded)
            client.close()
        }
    }

    @Test("a call whose deadline has passed before it begins fails")
    func over() async throws {
        try await Loopback.run { loopback in
            try await loopback.expectEcho(EchoService.onLoop, "greeted")
            let error = try await loopback.failure(EchoService.onLoop, timeout: .seconds(-1))
            #expect(error?.code == .deadlineExceeded)
        }
    }

    @Test("Protos/README.md, Call: cancelling a task ends its call and cancels the handler")
    func cancel() async throws {
        try await Loopback.run { loopback in
            let task = Task { try await loopback.failure(EchoService.gated) }
            await loopback.gate.entered(1)
            task.cancel()
            let error = try await task.value
            #expect(error?.code == .cancelled)
            await loopback.gate.cancelled(1)
            try await loopback.expectEcho(EchoService.onLoop, "next")
        }
    }

    @Test("a task that was already cancelled sends no call")
    func cancelledBefore() async throws {
        try await Loopback.run { loopback in
            let task = Task {
                await loopback.gate.entered(1)
                return try await loopback.failure(EchoService.async)
            }
            task.cancel()
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.gated)
            let error = try await task.value
            #expect(error?.code == .cancelled && error?.isUnbegunByPeer == true)
        }
    }

    @Test("Protos/README.md, Call: a Cancel is answered once, and the handler runs until it ends")
    func cancelFrame() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.stubborn)
            await loopback.gate.entered(1)
            peer.send(.cancel(WireV1.Cancel(call: 1)))
            #expect(try peer.response(1).status == 1)
            peer.send(.cancel(WireV1.Cancel(call: 1)))
            #expect(loopback.server.runningCount == 1)
            loopback.gate.open()
            peer.send(2, EchoService.async, "next")
            #expect(try peer.response(2).status == 0)
            peer.send(.cancel(WireV1.Cancel(call: 2)))
            peer.send(3, EchoService.onLoop)
            guard case .response(let last) = try peer.receive() else { return }
            #expect(last.call == 3)
        }
    }

    @Test("a peer's disconnect cancels its handlers", arguments: [false, true])
    func gone(isHalf: Bool) async throws {
        try await Loopback.run { loopback in
            var peer: RawPeer? = try RawPeer.greeted(port: loopback.server.port)
            for call in 1...3 { peer?.send(UInt64(call), EchoService.gated) }
            await loopback.gate.entered(3)
            if isHalf { peer?.shutDown() } else { peer = nil }
            await loopback.gate.cancelled(3)
            try await loopback.expectEcho(EchoService.onLoop, "next")
        }
    }
}

extension Loopback {
    /// The error code of a call by `client`, or nil if it was answered.
    func outcome(
        of client: RPCClient, _ method: MethodDescription = EchoService.onLoop,
        timeout: Duration = .seconds(20)
    ) async -> ErrorCode? {
        do {
            let _: EchoService.Response = try await client.call(
                method, EchoService.Request(), client.context(timeout: timeout))
            return nil
        } catch {
            return (error as? ServiceError)?.code
        }
    }
}
