import Testing

@testable import postern

@Suite("postern up: certificates by the environment")
struct PeerCertificatesTests {
    private static let calls: [(caller: String, callees: [String])] = [
        ("gateway", ["identity", "session"]), ("identity", ["session"]), ("session", []),
        ("web", ["gateway"]),
    ]

    private func mistake(_ variables: [String: String]) -> String? {
        PeerCertificates.mistake(in: Self.calls) { name, program in
            EnvironmentVariable.setting(name, of: program) { variables[$0] }
        }
    }

    @Test("no certificates, one for the web service alone, and one for all with roots are right")
    func right() {
        #expect(mistake([:]) == nil)
        #expect(mistake(["POSTERN_WEB_TLS_CERTIFICATE_FILE": "a.pem"]) == nil)
        let all = ["POSTERN_TLS_CERTIFICATE_FILE": "a.pem", "POSTERN_TLS_PEER_CA_FILE": "ca.pem"]
        #expect(mistake(all) == nil)
        let web = all.merging(["POSTERN_WEB_TLS_CERTIFICATE_FILE": "b.pem"]) { all, _ in all }
        #expect(mistake(web) == nil)
    }

    @Test("a certificate for all without roots names the variables for the web service alone")
    func shared() throws {
        let text = try #require(mistake(["POSTERN_TLS_CERTIFICATE_FILE": "a.pem"]))
        #expect(text.hasPrefix("identity has a certificate, and gateway would call it without TLS"))
        #expect(text.contains("POSTERN_WEB_TLS_CERTIFICATE_FILE and POSTERN_WEB_TLS_KEY_FILE"))
    }

    @Test("roots without certificates, and a callee of its own, are mistakes too")
    func others() throws {
        let roots = try #require(mistake(["POSTERN_TLS_PEER_CA_FILE": "ca.pem"]))
        #expect(roots.contains("identity has no certificate"))
        let one = try #require(mistake(["POSTERN_GATEWAY_TLS_CERTIFICATE_FILE": "a.pem"]))
        #expect(one.hasPrefix("gateway has a certificate, and web would call it"))
    }
}
