import Cryptography
import Outbound
import SMTPSink
import Testing

@Suite("SMTP conversations")
struct SMTPConversationTests {
    @Test("N-01: a mail arrives byte for byte, also with dots at line starts")
    func accepted() async throws {
        let long = String(repeating: "x", count: 70_000)
        let text = "Subject: a\r\n\r\n.\r\n..two\r\n.\r\n\(long)\r\nünïcode\r\n.end\r\n"
        let (outcome, sink) = try await send(text)
        #expect(outcome == .accepted)
        #expect(sink.mails.map(\.bytes) == [Array(text.utf8)])
        #expect(sink.mails.first?.from.hasPrefix("MAIL FROM:<sender@example.org>") == true)
        #expect(sink.mails.first?.to.hasPrefix("RCPT TO:<ada@example.org>") == true)
        #expect(sink.commands.first == "EHLO us.example")
    }

    @Test(
        "a server's refusal of the mail is reported with step and code",
        arguments: [
            (550, "MAIL"), (451, "MAIL"), (550, "RCPT"), (451, "RCPT"), (554, "DATA"),
            (452, "DATA"), (554, "END"), (451, "END"),
        ])
    func refused(code: Int, at step: String) async throws {
        var script = SMTPSink.Script()
        switch step {
        case "MAIL": script.mail = "\(code) no"
        case "RCPT": script.recipient = "\(code) no"
        case "DATA": script.data = "\(code) no"
        default: script.ending = .answer("\(code) no")
        }
        let (outcome, _) = try await send(script: script)
        let steps: [String: SMTPAnswer.Step] = [
            "MAIL": .sender, "RCPT": .recipient, "DATA": .data, "END": .message,
        ]
        let expected = try #require(steps[step])
        #expect(outcome == .refused(SMTPAnswer(step: expected, code: code, status: nil)))
    }

    @Test("a refused greeting or login is a failure, not a refusal of the mail")
    func refusedUs() async throws {
        var script = SMTPSink.Script()
        script.greeting = "554 go away"
        #expect(try await send(script: script).outcome == .failed(.interrupted))
        script = SMTPSink.Script()
        script.capabilities.append("AUTH PLAIN")
        script.auth = "535 wrong"
        let credentials = SMTPServer.Credentials(
            user: "us", password: SecretBytes(copying: "secret".utf8))
        let refused = try await send(script: script, credentials: credentials)
        #expect(refused.outcome == .failed(.loginRefused))
        #expect(refused.sink.mails.isEmpty)
    }

    @Test("AUTH PLAIN sends user and password")
    func login() async throws {
        var script = SMTPSink.Script()
        script.capabilities.append("AUTH PLAIN")
        let credentials = SMTPServer.Credentials(
            user: "us", password: SecretBytes(copying: "secret".utf8))
        let (outcome, sink) = try await send(script: script, credentials: credentials)
        #expect(outcome == .accepted)
        #expect(sink.commands.contains { $0.hasPrefix("AUTH PLAIN") })
        // base64 of NUL "us" NUL "secret", RFC 4616.
        #expect(sink.commands.contains { $0.hasSuffix("AHVzAHNlY3JldA==") })
    }

    @Test("a connection dropped after the message's end is not an acceptance")
    func dropped() async throws {
        var script = SMTPSink.Script()
        script.ending = .drop
        let (outcome, sink) = try await send(script: script)
        #expect(outcome == .unanswered(.interrupted))
        #expect(sink.mails.count == 1)
    }

    @Test("a server that stalls after the message's end is disconnected at the deadline")
    func stalled() async throws {
        var script = SMTPSink.Script()
        script.ending = .stall
        let (outcome, _) = try await send(script: script, timeout: .milliseconds(300))
        #expect(outcome == .unanswered(.timedOut))
    }

    @Test("a late answer to an abandoned mail is not taken for the next mail's")
    func late() async throws {
        var script = SMTPSink.Script()
        script.ending = .late("250 the first one")
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 8, connectionsMax: 1))
        let mail = try SMTPMail(
            sender: "a@example.org", recipient: "b@example.org", message: Array("x\r\n".utf8))
        let server = try #require(route(sink))
        let first = await client.send(mail, to: server, timeout: .milliseconds(800))
        #expect(first == .unanswered(.timedOut))
        sink.script.ending = .answer("250 the second one")
        #expect(await client.send(mail, to: server, timeout: .seconds(5)) == .accepted)
        #expect(sink.connections == 2)
        await client.close()
        sink.close()
    }

    @Test("if required encryption is not offered, no mail is sent")
    func notEncrypted() async throws {
        let (outcome, sink) = try await send(encryption: .required)
        #expect(outcome == .failed(.notEncrypted))
        #expect(!sink.commands.contains { $0.hasPrefix("MAIL") })
    }

    @Test("under a public-only policy a loopback server is rejected before connecting")
    func forbidden() async throws {
        let (outcome, sink) = try await send(addresses: .publicOnly)
        #expect(outcome == .failed(.addressForbidden))
        #expect(sink.connections == 0)
    }

    @Test("a pooled connection is not reused for a transfer whose policy forbids its peer")
    func forbiddenReuse() async throws {
        let sink = try SMTPSink()
        let client = try OutboundClient(limits: .init(transfersMax: 8, connectionsMax: 2))
        let mail = try SMTPMail(
            sender: "a@example.org", recipient: "b@example.org", message: Array("x\r\n".utf8))
        let lax = try #require(route(sink))
        #expect(await client.send(mail, to: lax, timeout: .seconds(5)) == .accepted)
        #expect(await client.send(mail, to: lax, timeout: .seconds(5)) == .accepted)
        #expect(sink.connections == 1)
        let strict = try #require(route(sink, addresses: .publicOnly))
        let outcome = await client.send(mail, to: strict, timeout: .seconds(5))
        #expect(outcome == .failed(.addressForbidden))
        #expect(sink.mails.count == 2)
        await client.close()
        sink.close()
    }

    @Test("a pooled plaintext connection is not reused for a transfer that requires encryption")
    func clearReuse() async throws {
        let sink = try SMTPSink()
        let client = try OutboundClient(limits: .init(transfersMax: 8, connectionsMax: 2))
        let mail = try SMTPMail(
            sender: "a@example.org", recipient: "b@example.org", message: Array("x\r\n".utf8))
        let clear = try #require(route(sink))
        #expect(await client.send(mail, to: clear, timeout: .seconds(5)) == .accepted)
        let encrypted = try #require(route(sink, encryption: .required))
        let outcome = await client.send(mail, to: encrypted, timeout: .seconds(5))
        #expect(outcome == .failed(.notEncrypted))
        #expect(await client.send(mail, to: clear, timeout: .seconds(5)) == .accepted)
        #expect(sink.mails.count == 2)
        await client.close()
        sink.close()
    }

    @Test("an unknown host name is unresolved, and a closed client sends nothing")
    func unresolved() async throws {
        let sink = try SMTPSink()
        let client = try OutboundClient(limits: .init(transfersMax: 8, connectionsMax: 2))
        let mail = try SMTPMail(
            sender: "a@example.org", recipient: "b@example.org", message: Array("x\r\n".utf8))
        sink.close()
        let gone = try #require(route(sink, host: "nobody.invalid"))
        #expect(await client.send(mail, to: gone, timeout: .seconds(5)) == .failed(.unresolved))
        await client.close()
        #expect(await client.send(mail, to: gone, timeout: .seconds(5)) == .failed(.closed))
    }

    // MARK: one mail from a client of its own to a sink of its own

    private func send(
        _ text: String = "Subject: a\r\n\r\nhello\r\n", script: SMTPSink.Script = .init(),
        encryption: SMTPServer.Encryption = .none, credentials: SMTPServer.Credentials? = nil,
        addresses: AddressPolicy = .any, timeout: Duration = .seconds(5)
    ) async throws -> (outcome: SMTPOutcome, sink: SMTPSink) {
        let sink = try SMTPSink(script)
        let client = try OutboundClient(limits: .init(transfersMax: 8, connectionsMax: 2))
        let server = try #require(
            route(sink, encryption: encryption, credentials: credentials, addresses: addresses))
        let mail = try SMTPMail(
            sender: "sender@example.org", recipient: "ada@example.org", message: Array(text.utf8))
        let outcome = await client.send(mail, to: server, timeout: timeout)
        await client.close()
        sink.close()
        return (outcome, sink)
    }

    private func route(
        _ sink: SMTPSink, host: String = "127.0.0.1", encryption: SMTPServer.Encryption = .none,
        credentials: SMTPServer.Credentials? = nil, addresses: AddressPolicy = .any
    ) -> SMTPServer? {
        SMTPServer(
            host: host, port: sink.port, encryption: encryption, credentials: credentials,
            clientName: "us.example", addresses: addresses, trustFile: nil)
    }
}
