import Foundation
import SMTPSink
import TestSupport
import Testing

extension SystemTests {
    @Suite("A change of email address through all five programs, over SMTP")
    struct EmailChange {
        @Test(
            "G-12, D3 3.3: a change is requested, mailed to both addresses, confirmed and reported")
        func changed() async throws {
            let sink = try SMTPSink()
            defer { sink.close() }
            let environment = [
                "POSTERN_SMTP_HOST": "127.0.0.1", "POSTERN_SMTP_PORT": "\(sink.port)",
                "POSTERN_SMTP_ENCRYPTION": "none",
            ]
            try await Cluster.with(environment: environment) { cluster in
                let (ada, new) = (Person(1), Person(2))
                let here: SignedIn = try await cluster.signUp(ada).read()
                let access = here.session.accessToken
                let requested = try await ask(
                    "RequestEmailChange", ["newEmail": new.email], cluster, token: access)
                #expect(requested.exitCode == 0, "\(requested.errors)")
                let token = try await token(in: sink, to: new.email)
                let elsewhere = try await ask("ConfirmEmailChange", ["token": token], cluster)
                #expect(elsewhere.code == "auth/password-needed")
                let confirmed = try await ask(
                    "ConfirmEmailChange", ["token": token], cluster, token: access)
                #expect(confirmed.exitCode == 0, "\(confirmed.errors)")
                #expect(confirmed.json.contains(new.email))
                #expect(try await cluster.signIn(ada).code == "auth/invalid-credential")
                var moved = new.credentials()
                moved["device"] = ada.credentials()["device"]
                let signedIn = try await cluster.auth(
                    "SignInWithPassword", moved, from: ada.address)
                #expect(signedIn.exitCode == 0, "\(signedIn.errors)")
                // The verification mail, the mail that a change was requested, and the mail that it
                // was made.
                #expect(
                    try await eventually {
                        sink.mails.filter { $0.to.contains(ada.email) }.count == 3
                    })
            }
        }

        /// The token of the link that was mailed to an address; waits for the mail.
        private func token(in sink: SMTPSink, to address: String) async throws -> String {
            let start = "change-email?token="
            var text = ""
            let isThere = try await eventually {
                let mail = sink.mails.last { $0.to.contains(address) }
                // Decodes quoted-printable, as far as a link needs it (RFC 2045, 6.7).
                text = String(decoding: mail?.bytes ?? [], as: UTF8.self)
                    .replacingOccurrences(of: "=\r\n", with: "")
                    .replacingOccurrences(of: "=3D", with: "=")
                return text.contains(start)
            }
            #expect(isThere)
            let rest = text[try #require(text.range(of: start)).upperBound...]
            return String(
                rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
        }

        private func ask(
            _ method: String, _ fields: [String: Any], _ cluster: Cluster, token: String? = nil
        ) async throws -> Cluster.Answer {
            let json = try JSONSerialization.data(withJSONObject: fields)
            return try await cluster.call(
                "postern.gateway.v1.Emails/\(method)", String(decoding: json, as: UTF8.self),
                token: token)
        }
    }
}
