import JSON
import Testing

@testable import WebService

@Suite("RFC 8414: the URLs in the metadata")
struct WellKnownResponderTests {
    @Test(
        "they begin with an origin of the settings, however the client writes the host",
        arguments: [
            ("auth.example.org", "https://auth.example.org"),
            ("Auth.Example.org", "https://auth.example.org"),
            ("auth.example.org:443", "https://auth.example.org"),
            ("id.example.org:8443", "https://id.example.org:8443"),
            ("", "https://auth.example.org"),
        ])
    func origin(authority: String, origin: String) {
        let origins = ["https://auth.example.org", "https://id.example.org:8443"]
        for isTLS in [false, true] {
            #expect(
                WellKnownResponder.origin(authority, isTLS: isTLS, among: origins) == origin)
        }
    }

    @Test("without origins in the settings they have the scheme and host of the request")
    func loopback() {
        #expect(
            WellKnownResponder.origin("localhost:7480", isTLS: false, among: [])
                == "http://localhost:7480")
    }

    @Test("F-01: the documents about passkeys are those of the options, and none if they are off")
    func passkeys() {
        let origin = "https://auth.example.org"
        #expect(PasskeyDocuments.related(AppOptions()) == nil)
        #expect(PasskeyDocuments.management(AppOptions(), at: origin) == nil)
        func options(_ related: [String]) -> AppOptions {
            AppOptions(
                passkeys: .init(domain: "example.org", origins: [origin], related: related))
        }
        let alone = options([])
        #expect(PasskeyDocuments.related(alone) == nil)
        #expect(
            PasskeyDocuments.management(alone, at: origin)
                == [
                    "enroll": .string("\(origin)/security"),
                    "manage": .string("\(origin)/security"),
                ])
        let related = PasskeyDocuments.related(options(["https://example.com"]))
        #expect(related?["origins"]?.strings == ["https://example.com"])
    }

    @Test("RFC 9470: the metadata name the assurances that tokens can have")
    func assurances() {
        let document = ServerMetadata.document(
            issuer: "https://auth.example.org", origin: "https://auth.example.org")
        #expect(document["acr_values_supported"]?.strings == ["aal1", "aal2"])
    }
}
