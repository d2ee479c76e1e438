import Outbound
import SMTPSink
import Testing

@Suite("Many transfers on one thread")
struct TransferQueueTests {
    @Test("a hundred mails at once over four connections each arrive once")
    func many() async throws {
        let sink = try SMTPSink()
        let client = try OutboundClient(limits: .init(transfersMax: 100, connectionsMax: 4))
        let server = try #require(route(sink))
        let accepted = try await withThrowingTaskGroup(of: SMTPOutcome.self) { group in
            for number in 0..<100 {
                let mail = try mail(number)
                group.addTask { await client.send(mail, to: server, timeout: .seconds(20)) }
            }
            return try await group.reduce(into: 0) { $0 += $1 == .accepted ? 1 : 0 }
        }
        #expect(accepted == 100)
        #expect(Set(sink.mails.map(\.to)).count == 100)
        #expect(sink.connections <= 4)
        await client.close()
        sink.close()
    }

    @Test("transfers above the limit fail at once as busy, and the others continue")
    func bounded() async throws {
        // The sink's greeting never ends, so both slots stay taken.
        var script = SMTPSink.Script()
        script.greeting = "220-still thinking"
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 2, connectionsMax: 2))
        let server = try #require(route(sink))
        try await withThrowingTaskGroup(of: SMTPOutcome.self) { group in
            for number in 0..<2 {
                let mail = try mail(number)
                group.addTask { await client.send(mail, to: server, timeout: .seconds(60)) }
            }
            await sink.reached(connections: 2)
            for number in 2..<5 {
                let outcome = await client.send(
                    try mail(number), to: server, timeout: .seconds(60))
                #expect(outcome == .failed(.busy))
            }
            // The first two were still running.
            await client.close()
            for try await outcome in group { #expect(outcome == .failed(.closed)) }
        }
        sink.close()
    }

    @Test("a cancelled transfer ends at once, and one cancelled before its start never begins")
    func cancelled() async throws {
        var script = SMTPSink.Script()
        script.greeting = "220-still thinking"
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 2, connectionsMax: 2))
        let server = try #require(route(sink))
        let mail = try mail(1)
        let running = Task { await client.send(mail, to: server, timeout: .seconds(60)) }
        await sink.reached(connections: 1)
        running.cancel()
        #expect(await running.value == .failed(.cancelled))
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await client.send(mail, to: server, timeout: .seconds(60))
        }
        #expect(await early.value == .failed(.cancelled))
        await client.close()
        sink.close()
    }

    @Test("a pooled connection that the server has closed does not lose a mail")
    func stale() async throws {
        var script = SMTPSink.Script()
        script.hangsUpAfterMail = true
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 4, connectionsMax: 1))
        let server = try #require(route(sink))
        for number in 0..<10 {
            let outcome = await client.send(try mail(number), to: server, timeout: .seconds(5))
            #expect(outcome == .accepted)
        }
        #expect(sink.mails.count == 10)
        await client.close()
        sink.close()
    }

    @Test("cancelling a transfer does not wait for a server that stalls after the message")
    func cancelledWhileStalled() async throws {
        var script = SMTPSink.Script()
        script.ending = .stall
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 2, connectionsMax: 2))
        let server = try #require(route(sink))
        let mail = try mail(1)
        let running = Task { await client.send(mail, to: server, timeout: .seconds(20)) }
        await sink.reached(mails: 1)
        running.cancel()
        #expect(await running.value == .failed(.cancelled))
        // The thread ends when the server closes.
        sink.close()
        await client.close()
    }

    @Test("closing ends running transfers")
    func closing() async throws {
        var script = SMTPSink.Script()
        script.greeting = "220-still thinking"
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 2, connectionsMax: 2))
        let server = try #require(route(sink))
        let mail = try mail(1)
        async let outcome = client.send(mail, to: server, timeout: .seconds(60))
        await sink.reached(connections: 1)
        await client.close()
        #expect(await outcome == .failed(.closed))
        sink.close()
    }

    private func mail(_ number: Int) throws -> SMTPMail {
        try SMTPMail(
            sender: "sender@example.org", recipient: "person\(number)@example.org",
            message: Array("Subject: \(number)\r\n\r\nhello\r\n".utf8))
    }

    private func route(_ sink: SMTPSink) -> SMTPServer? {
        SMTPServer(
            host: "127.0.0.1", port: sink.port, encryption: .none, credentials: nil,
            clientName: "us.example", addresses: .any, trustFile: nil)
    }
}
