import Outbound
import SMTPSink
import Testing

@Suite("Answers of a mail server")
struct SMTPAnswerTests {
    @Test(
        "RFC 3463, 2: enhanced status codes are read",
        arguments: [
            ("5.1.1 no such person", SMTPStatus(5, 1, 1)), ("4.7.1", SMTPStatus(4, 7, 1)),
            ("2.0.0\r\n", SMTPStatus(2, 0, 0)), ("5.7.999 x", SMTPStatus(5, 7, 999)),
            ("no such person", nil), ("", nil), ("5.1", nil), ("5.1.1.1 x", nil), ("3.1.1 x", nil),
            ("5.1.1234 x", nil), ("5.-1.1 x", nil), ("5..1 x", nil), ("192.168.1.1 x", nil),
        ])
    func status(_ text: String, _ status: SMTPStatus?) {
        #expect(SMTPStatus(beginning: Array(text.utf8)) == status)
    }

    @Test("a refusal is reported with its step and reason, also from an answer in several lines")
    func reason() async throws {
        var script = SMTPSink.Script()
        script.recipient = "550-5.1.1 The account that you tried\r\n550 5.1.1 does not exist"
        let sink = try SMTPSink(script)
        let expected = SMTPAnswer(step: .recipient, code: 550, status: SMTPStatus(5, 1, 1))
        #expect(try await send(to: "ada@example.org", sink) == .refused(expected))
        sink.close()
    }

    @Test("421 at any step is a lost connection, not a refusal of the mail")
    func leave() async throws {
        for step in 0..<4 {
            var script = SMTPSink.Script()
            switch step {
            case 0: script.mail = "421 4.3.2 shutting down"
            case 1: script.recipient = "421 4.3.2 shutting down"
            case 2: script.data = "421 4.3.2 shutting down"
            default: script.ending = .answer("421 4.3.2 shutting down")
            }
            let sink = try SMTPSink(script)
            #expect(try await send(to: "ada@example.org", sink) == .failed(.interrupted))
            sink.close()
        }
    }

    @Test("RFC 6531: an address with non-ASCII characters is sent with SMTPUTF8")
    func international() async throws {
        let sink = try SMTPSink()
        #expect(try await send(to: "jörg@example.org", sink) == .accepted)
        #expect(sink.mails.first?.to == "RCPT TO:<jörg@example.org>")
        #expect(sink.mails.first?.from.contains("SMTPUTF8") == true)
        #expect(try await send(to: "ada@example.org", sink) == .accepted)
        #expect(sink.mails.last?.from.contains("SMTPUTF8") == false)
        sink.close()
    }

    @Test(
        "a server without SMTPUTF8 is never sent such an address, even on a pooled connection")
    func unsupported() async throws {
        var script = SMTPSink.Script()
        script.capabilities = ["8BITMIME"]
        let sink = try SMTPSink(script)
        let client = try SMTPClient(connections: 1)
        #expect(try await send(to: "jörg@example.org", sink, client) == .unsupported)
        #expect(try await send(to: "ada@example.org", sink, client) == .accepted)
        #expect(try await send(to: "jörg@example.org", sink, client) == .unsupported)
        #expect(!sink.commands.contains { $0.contains("jörg") })
        await client.close()
        sink.close()
    }

    @Test("a mail to a greylisting server is accepted at the second try")
    func greylisted() async throws {
        var script = SMTPSink.Script()
        script.isGreylisting = true
        let sink = try SMTPSink(script)
        let answer = SMTPAnswer(step: .recipient, code: 451, status: SMTPStatus(4, 7, 1))
        #expect(try await send(to: "ada@example.org", sink) == .refused(answer))
        #expect(try await send(to: "ada@example.org", sink) == .accepted)
        sink.close()
    }

    private func send(
        to recipient: String, _ sink: SMTPSink, _ shared: SMTPClient? = nil
    ) async throws -> SMTPOutcome {
        let client = try shared ?? SMTPClient(connections: 1)
        let mail = try SMTPMail(
            sender: "us@example.org", recipient: recipient, message: Array("a: b\r\n\r\nx\r\n".utf8)
        )
        let server = try #require(
            SMTPServer(
                host: "127.0.0.1", port: sink.port, encryption: .none, credentials: nil,
                clientName: "us.example", addresses: .any, trustFile: nil))
        let outcome = await client.send(mail, to: server, timeout: .seconds(5))
        if shared == nil { await client.close() }
        return outcome
    }
}
