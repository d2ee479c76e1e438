import Cryptography
import Outbound
import SMTPSink
import TestSupport
import Testing

@Suite("SMTP over TLS")
struct SMTPEncryptionTests {
    @Test("STARTTLS: a server that demands it gets the mail, and no mail command in clear")
    func startTLS() async throws {
        var script = SMTPSink.Script()
        script.demandsTLS = true
        let fixture = try SMTPFixture(script)
        #expect(try await fixture.send(fixture.server(.required)) == .accepted)
        #expect(
            fixture.sink.commands.prefix(3).map { $0.prefix(8) } == [
                "EHLO us.", "STARTTLS", "EHLO us.",
            ])
        #expect(fixture.sink.mailCount == 1)
        fixture.sink.close()
    }

    @Test("RFC 8314: TLS from the first byte works without STARTTLS")
    func implicit() async throws {
        var script = SMTPSink.Script()
        script.isTLSImplicit = true
        let fixture = try SMTPFixture(script)
        #expect(try await fixture.send(fixture.server(.implicit)) == .accepted)
        #expect(!fixture.sink.commands.contains("STARTTLS"))
        fixture.sink.close()
    }

    @Test("a server that demands TLS refuses a mail in clear, and the reason is reported")
    func demanded() async throws {
        var script = SMTPSink.Script()
        script.demandsTLS = true
        let fixture = try SMTPFixture(script)
        let answer = SMTPAnswer(step: .sender, code: 530, status: SMTPStatus(5, 7, 0))
        #expect(try await fixture.send(fixture.server(.none)) == .refused(answer))
        fixture.sink.close()
    }

    @Test(
        "under a wrong name or an untrusted issuer no mail is sent",
        arguments: [true, false])
    func wrongCertificate(isName: Bool) async throws {
        for encryption in [SMTPServer.Encryption.required, .implicit] {
            var script = SMTPSink.Script()
            script.isTLSImplicit = encryption == .implicit
            let fixture = try SMTPFixture(
                script, name: isName ? .dns("other.example") : .address(127, 0, 0, 1))
            let server = try fixture.server(encryption, trustsSink: isName)
            #expect(try await fixture.send(server) == .failed(.notEncrypted))
            #expect(fixture.sink.mailCount == 0)
            fixture.sink.close()
        }
    }

    @Test(
        "AUTH: PLAIN and LOGIN use a password, XOAUTH2 a token that is read for each mail",
        arguments: [
            ("PLAIN", "PLAIN " + Base64.encode("\0us\0secret".utf8)),
            ("LOGIN", "LOGIN " + Base64.encode("us".utf8) + " " + Base64.encode("secret".utf8)),
            (
                "XOAUTH2",
                "XOAUTH2 " + Base64.encode("user=us\u{1}auth=Bearer secret\u{1}\u{1}".utf8)
            ),
        ])
    func login(mechanism: String, line: String) async throws {
        var script = SMTPSink.Script()
        script.demandsTLS = true
        script.capabilities.append("AUTH \(mechanism)")
        script.logins = [line]
        let fixture = try SMTPFixture(script)
        let proof: SMTPServer.Credentials.Proof =
            mechanism == "XOAUTH2"
            ? .tokenFile(try fixture.secretFile("secret\n", "token"))
            : .password(SecretBytes(copying: "secret".utf8))
        let credentials = SMTPServer.Credentials(user: "us", proof: proof)
        let server = try fixture.server(.required, credentials: credentials)
        #expect(try await fixture.send(server) == .accepted)
        fixture.sink.script.logins = []
        #expect(try await fixture.send(server) == .failed(.loginRefused))
        #expect(fixture.sink.mailCount == 1)
        fixture.sink.close()
    }

    @Test("a missing token file fails as a refused login, without a connection")
    func noToken() async throws {
        let fixture = try SMTPFixture(SMTPSink.Script())
        let credentials = SMTPServer.Credentials(
            user: "us", proof: .tokenFile(fixture.folder.file("nothing")))
        let server = try fixture.server(.required, credentials: credentials)
        #expect(try await fixture.send(server) == .failed(.loginRefused))
        #expect(fixture.sink.connections == 0)
        fixture.sink.close()
    }
}
