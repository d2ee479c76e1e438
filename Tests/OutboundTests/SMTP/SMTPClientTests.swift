import Outbound
import SMTPSink
import Testing

@Suite("Connections to mail servers")
struct SMTPClientTests {
    @Test("two thousand mails share eight connections, and each arrives once")
    func reuse() async throws {
        var script = SMTPSink.Script()
        script.storesMails = false
        let sink = try SMTPSink(script)
        let client = try SMTPClient(connections: 8)
        let message = Self.message
        let server = try server(sink)
        let start = ContinuousClock.now
        let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var accepted = 0
                    for number in 0..<250 {
                        let mail = try SMTPMail(
                            sender: "us@example.org", recipient: "p\(worker)-\(number)@example.org",
                            message: message)
                        let outcome = await client.send(mail, to: server, timeout: .seconds(20))
                        accepted += outcome == .accepted ? 1 : 0
                    }
                    return accepted
                }
            }
            return try await group.reduce(0, +)
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        print("2000 mails of 4 KiB over 8 connections: \(Int(2_000 / seconds)) mails/s")
        #expect(accepted == 2_000)
        #expect(sink.mailCount == 2_000)
        #expect(sink.connections <= 8)
        await client.close()
        sink.close()
    }

    @Test("sequential mails share one connection")
    func quiet() async throws {
        let sink = try SMTPSink()
        let client = try SMTPClient(connections: 8)
        let mail = try mail()
        let server = try server(sink)
        for _ in 0..<20 {
            #expect(await client.send(mail, to: server, timeout: .seconds(5)) == .accepted)
        }
        #expect(sink.connections == 1)
        await client.close()
        sink.close()
    }

    @Test("a server that hangs after a message does not delay mails to others")
    func hanging() async throws {
        var script = SMTPSink.Script()
        script.ending = .stall
        let hanging = try SMTPSink(script)
        let good = try SMTPSink()
        let client = try SMTPClient(connections: 4)
        let mail = try mail()
        let (slow, quick) = (try server(hanging), try server(good))
        await withTaskGroup(of: SMTPOutcome.self) { group in
            for _ in 0..<3 {
                group.addTask { await client.send(mail, to: slow, timeout: .seconds(60)) }
            }
            await hanging.reached(mails: 3)
            for _ in 0..<10 {
                #expect(await client.send(mail, to: quick, timeout: .seconds(20)) == .accepted)
            }
            hanging.close()
            for await outcome in group { #expect(outcome == .unanswered(.interrupted)) }
        }
        await client.close()
        good.close()
    }

    @Test("a slow server's answers are awaited")
    func slow() async throws {
        var script = SMTPSink.Script()
        script.answerMilliseconds = 20
        let sink = try SMTPSink(script)
        let client = try SMTPClient(connections: 1)
        let server = try server(sink)
        #expect(await client.send(try mail(), to: server, timeout: .seconds(20)) == .accepted)
        await client.close()
        sink.close()
    }

    @Test("a closed client sends nothing")
    func closed() async throws {
        let sink = try SMTPSink()
        let client = try SMTPClient(connections: 2)
        let server = try server(sink)
        await client.close()
        #expect(await client.send(try mail(), to: server, timeout: .seconds(5)) == .failed(.closed))
        #expect(sink.connections == 0)
        sink.close()
    }

    private static let message = Array(
        ("Subject: a\r\n\r\n"
            + String(repeating: String(repeating: "x", count: 70) + "\r\n", count: 57))
            .utf8)

    private func mail() throws -> SMTPMail {
        try SMTPMail(
            sender: "us@example.org", recipient: "ada@example.org", message: Self.message)
    }

    private func server(_ sink: SMTPSink) throws -> SMTPServer {
        try #require(
            SMTPServer(
                host: "127.0.0.1", port: sink.port, encryption: .none, credentials: nil,
                clientName: "us.example", addresses: .any, trustFile: nil))
    }
}
