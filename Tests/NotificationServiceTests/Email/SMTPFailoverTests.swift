import Cryptography
import Outbound
import SMTPSink
import ServiceRuntime
import TestSupport
import Testing

@testable import NotificationService

@Suite("Failover between mail servers")
struct SMTPFailoverTests {
    @Test("if the first server fails, the second gets the mail in the same attempt")
    func failover() async throws {
        for word in ["451 4.3.2 not now", "421 4.3.2 leaving"] {
            var script = SMTPSink.Script()
            script.mail = word
            let (first, second) = (try SMTPSink(script), try SMTPSink())
            #expect(try await deliver(first, second) == .taken)
            #expect(second.mailCount == 1)
        }
        let (gone, second) = (try SMTPSink(), try SMTPSink())
        gone.close()
        #expect(try await deliver(gone, second) == .taken)
    }

    @Test(
        "a reply about the mail itself is final: the second server is not tried",
        arguments: [
            ("550 5.1.1 nobody", DeliveryOutcome.refused("smtp-550-5.1.1", addressIsDead: true)),
            ("550 5.7.1 policy", .refused("smtp-550-5.7.1", addressIsDead: false)),
            ("451 4.3.2 not now", .failed("smtp-451-4.3.2", retryAfter: .seconds(60))),
            ("451 4.7.1 greylisted", .failed("smtp-451-4.7.1", retryAfter: .seconds(60))),
        ])
    func contains(_ word: String, _ outcome: DeliveryOutcome) async throws {
        var script = SMTPSink.Script()
        script.recipient = word
        let (first, second) = (try SMTPSink(script), try SMTPSink())
        #expect(try await deliver(first, second) == outcome)
        #expect(second.connections == 0)
    }

    @Test("a mail that the first server may have accepted is not sent to the second at once")
    func uncertain() async throws {
        var script = SMTPSink.Script()
        script.ending = .drop
        let (first, second) = (try SMTPSink(script), try SMTPSink())
        #expect(try await deliver(first, second) == .uncertain("unanswered-interrupted"))
        #expect(second.connections == 0)
    }

    @Test("a non-ASCII address goes to a server with SMTPUTF8; if there is none, it is refused")
    func international() async throws {
        var script = SMTPSink.Script()
        script.capabilities = []
        let (first, second) = (try SMTPSink(script), try SMTPSink())
        #expect(try await deliver(to: "jörg@example.org", first, second) == .taken)
        let alone = try await deliver(to: "jörg@example.org", try SMTPSink(script))
        #expect(alone == .refused("smtp-no-smtputf8", addressIsDead: false))
    }

    @Test("ten failures open the first server's breaker; once it is healthy it is used again")
    func breaker() async throws {
        let time = ManualTime()
        var script = SMTPSink.Script()
        script.mail = "451 4.3.0 broken"
        let (first, second) = (try SMTPSink(script), try SMTPSink())
        let (route, client) = try NotificationFixture.route(to: first, second, time: time)
        for _ in 0..<20 { #expect(await route.deliver(try mail()) == .taken) }
        #expect(first.connections == 10)
        #expect(second.mailCount == 20)
        first.script = SMTPSink.Script()
        time.advance(by: .seconds(2))
        for _ in 0..<5 { #expect(await route.deliver(try mail()) == .taken) }
        #expect(first.mailCount == 5)
        await client.close()
        first.close()
        second.close()
    }

    @Test("with every server's breaker open a mail waits, and no attempt is counted")
    func allOpen() async throws {
        let time = ManualTime()
        let sink = try SMTPSink()
        sink.close()
        let (route, client) = try NotificationFixture.route(to: sink, time: time)
        #expect(route.readiness == .ready(.max))
        for _ in 0..<10 { #expect(await route.deliver(try mail()) == .failed("unreachable")) }
        guard case .unavailable("breaker-open", let until) = await route.deliver(try mail()) else {
            Issue.record("the breaker is closed")
            return
        }
        #expect(until > time.now())
        #expect(route.readiness == .closed(until: until))
        await client.close()
    }

    @Test("a mail is signed if a DKIM key is configured")
    func signed() async throws {
        let seed = SecretBytes(copying: Array(repeating: 7, count: 32))
        let key = try Ed25519SigningKey(seed: seed)
        let signer = DKIMSigner(
            domain: "example.org", keys: [try #require(DKIMKey(selector: "a", .ed25519(key)))])
        let sink = try SMTPSink()
        let (route, client) = try NotificationFixture.route(to: sink, signer: signer)
        #expect(await route.deliver(try mail()) == .taken)
        let bytes = try #require(sink.mails.first?.bytes)
        let verifier = DKIMVerifier(keys: ["a": .ed25519(key.verifyingKey)])
        #expect(verifier.verdicts(String(decoding: bytes, as: UTF8.self)) == ["a": true])
        await client.close()
        sink.close()
    }

    private func deliver(
        to recipient: String = "ada@example.com", _ first: SMTPSink, _ second: SMTPSink? = nil
    ) async throws -> DeliveryOutcome {
        let (route, client) =
            try second.map { try NotificationFixture.route(to: first, $0) }
            ?? NotificationFixture.route(to: first)
        let outcome = await route.deliver(try mail(to: recipient))
        await client.close()
        first.close()
        second?.close()
        return outcome
    }

    private func mail(to recipient: String = "ada@example.com") throws -> MailMessage {
        MailMessage(
            id: try #require(MessageID(key: 7)), date: Timestamp(milliseconds: 0),
            sender: try #require(Mailbox(name: "Postern", address: "no-reply@example.org")),
            recipient: try #require(MailAddress(recipient)),
            content: MailContent(
                language: "en", subject: try #require(HeaderText("Hello")), text: ".\n..\nHello",
                html: "<p>Hello</p>"))
    }
}
