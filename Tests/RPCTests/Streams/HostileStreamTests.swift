import Messages
import RPC
import ServiceRuntime
import Testing

@Suite("Streams over TCP with a hostile peer", .timeLimit(.minutes(1)))
struct HostileStreamTests {
    @Test("Protos/README.md, Streams: an item beyond the credit fails its own call only")
    func overCredit() async throws {
        try await Loopback.run(limits: Loopback.Limits(streamCredit: 3)) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            #expect(peer.serverHello.streamCredit == 3)
            for call: UInt64 in [1, 2] { peer.open(call, EchoService.collect) }
            for text in ["a", "b", "c"] { peer.send(item: text, of: 2) }
            for text in ["a", "b", "c", "d"] { peer.send(item: text, of: 1) }
            #expect(try peer.response(1).error?.code == "rpc/resource-exhausted")
            await loopback.gate.cancelled(1)
            peer.send(item: "e", of: 1)
            peer.send(.item(WireV1.Item(call: 2, end: true)))
            loopback.gate.open()
            #expect(try peer.text(2) == "3 c")
        }
    }

    @Test("Protos/README.md, Streams: an end needs no credit, and one with a payload is an item")
    func end() async throws {
        try await Loopback.run(limits: Loopback.Limits(streamCredit: 2)) { loopback in
            loopback.gate.open()
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.open(1, EchoService.collect)
            peer.send(item: "a", of: 1)
            peer.send(item: "b", of: 1, end: true)
            #expect(try peer.text(1) == "2 b")
            peer.send(
                .request(WireV1.Request(call: 2, method: EchoService.collect.name, timeoutMs: 0)))
            #expect(try peer.text(2) == "0 ")
        }
    }

    @Test("Protos/README.md, Streams: an item after the end or on a unary call fails that call")
    func afterEnd() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.open(1, EchoService.collect)
            peer.send(item: "a", of: 1, end: true)
            peer.send(item: "b", of: 1)
            #expect(try peer.response(1).status == 3)
            peer.send(2, EchoService.gated)
            peer.send(item: "a", of: 2)
            #expect(try peer.response(2).status == 3)
            peer.send(.credit(WireV1.Credit(call: 2, items: 4)))
            peer.send(item: "late", of: 1)
            peer.send(3, EchoService.onLoop, "next")
            #expect(try peer.text(3) == "next")
        }
    }

    @Test("Protos/README.md, Call: an Item or Credit above the highest call id ends the connection")
    func unknown() async throws {
        try await Loopback.run { loopback in
            let kinds: [WireV1.Frame.Kind] = [
                .item(WireV1.Item(call: 2)), .credit(WireV1.Credit(call: 2, items: 1)),
                .item(WireV1.Item(call: 0)), .credit(WireV1.Credit(call: 0, items: 1)),
            ]
            for kind in kinds {
                let peer = try RawPeer.greeted(port: loopback.server.port)
                peer.open(1, EchoService.collect)
                peer.send(kind)
                #expect(try peer.goAway() == .protocolError)
            }
        }
    }

    @Test("Protos/README.md, Streams: the server sends within its credit and resumes with more")
    func granted() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port, streamCredit: 2)
            peer.send(1, EchoService.count, "7")
            #expect(try peer.items(until: peer.barrier(2)) == ["0", "1"])
            peer.send(.credit(WireV1.Credit(call: 1, items: 3)))
            #expect(try peer.items(until: peer.barrier(3)).count <= 3)
            peer.send(.credit(WireV1.Credit(call: 1, items: .max)))
            peer.send(.credit(WireV1.Credit(call: 1, items: .max)))
            var count = 0
            while let kind = try peer.receive() {
                if case .item = kind { count += 1 }
                if case .response(let response) = kind {
                    #expect(response == WireV1.Response(call: 1))
                    break
                }
            }
            #expect((2...5).contains(count))
        }
    }

    @Test("a broken item, or a payload in a stream's request, fails its own call only")
    func broken() async throws {
        try await Loopback.run { loopback in
            loopback.gate.open()
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.open(1, EchoService.collect)
            peer.send(.item(WireV1.Item(call: 1, payload: [0xff])))
            #expect(try peer.response(1).status == 3)
            peer.send(2, EchoService.collect, "a payload", more: true)
            #expect(try peer.response(2).status == 3)
            peer.send(3, EchoService.onLoop, "next")
            #expect(try peer.text(3) == "next")
        }
    }

    @Test("a unary call that announces items is an unknown method")
    func unaryWithMore() async throws {
        try await Loopback.run { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.send(1, EchoService.async, "x", more: true)
            #expect(try peer.response(1).error?.code == "rpc/unknown-method")
            peer.send(item: "late", of: 1)
            peer.send(2, EchoService.onLoop, "next")
            #expect(try peer.text(2) == "next")
        }
    }

    @Test("a connection holds at most 16 MiB of items that were not consumed")
    func bytes() async throws {
        try await Loopback.run(limits: Loopback.Limits(streamCredit: 400)) { loopback in
            let peer = try RawPeer.greeted(port: loopback.server.port)
            peer.open(1, EchoService.collect)
            let text = String(repeating: "x", count: 120 * 1_024)
            for _ in 0..<140 { peer.send(item: text, of: 1) }
            #expect(try peer.response(1).error?.code == "rpc/resource-exhausted")
            peer.send(2, EchoService.onLoop, "next")
            #expect(try peer.text(2) == "next")
        }
    }

    @Test("a server that sends beyond the client's credit gets a Cancel, and the call fails")
    func hostileServer() async throws {
        let listener = try RawListener()
        try await Loopback.run { loopback in
            let client = Loopback.client(
                port: listener.port, group: loopback.group, streamCredit: 2)
            let items: IncomingItems<EchoService.Response> = client.serverStream(
                EchoService.count, EchoService.Request(), client.context(timeout: .seconds(20)))
            let server = try listener.accept()
            server.send(.hello(WireV1.Hello(version: 1, challenge: [1])))
            while let kind = try server.receive() {
                if case .hello(let hello) = kind { #expect(hello.streamCredit == 2) }
                if case .request = kind { break }
            }
            for _ in 0..<3 { server.send(item: "x", of: 1) }
            guard case .cancel(let cancel) = try server.receive() else {
                Issue.record("no Cancel")
                return
            }
            #expect(cancel.call == 1)
            let error = await #expect(throws: ServiceError.self) {
                for try await _ in items {}
            }
            #expect(error?.code == .resourceExhausted)
            client.close()
        }
    }
}

extension RawPeer {
    /// Begins a call whose request is a stream of items.
    func open(_ call: UInt64, _ method: MethodDescription, timeout: UInt32 = 20_000) {
        send(
            .request(
                WireV1.Request(call: call, method: method.name, timeoutMs: timeout, more: true)))
    }

    /// The text of an OK answer.
    func text(_ call: UInt64) throws -> String {
        let response = try response(call)
        #expect(response.status == 0, "\(response.message)")
        return try EchoService.Response(decoding: response.payload).sessionId
    }

    /// Makes a unary call. Its answer shows that everything sent before was read.
    func barrier(_ call: UInt64) -> UInt64 {
        send(call, EchoService.onLoop)
        return call
    }

    /// The texts of the items that come before the answer to `call`.
    func items(until call: UInt64) throws -> [String] {
        var texts: [String] = []
        while let kind = try receive() {
            if case .item(let item) = kind {
                texts.append(try EchoService.Response(decoding: item.payload).sessionId)
            }
            if case .response(let response) = kind, response.call == call { break }
        }
        return texts
    }
}
