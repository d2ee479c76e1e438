import Contracts
import HTTPTypes
import RPC
import Testing

@testable import WebService

@Suite("Metadata of calls")
struct CallMetadataTests {
    private static let caller = caller(token: nil)

    private static func caller(token: String?, app: App? = nil) -> WebCaller {
        WebCaller(
            app: app, applicationToken: token, clientAddress: "192.0.2.7", responseFields: [:],
            isPlainLoopback: false, bodyHash: nil)
    }

    private func entries(_ fields: HTTPFields, _ caller: WebCaller = caller) -> [String: String] {
        let entries = Metadata(of: fields, from: caller).entries.map {
            ($0.key, String(decoding: $0.value, as: UTF8.self))
        }
        return Dictionary(uniqueKeysWithValues: entries)
    }

    @Test("four fields pass, and the address is the caller's")
    func passed() {
        let fields: HTTPFields = [
            .idempotencyKey: "k-1", .traceparent: "00-a-b-01", .acceptLanguage: "de",
            .authorization: "Bearer t",
        ]
        #expect(
            entries(fields) == [
                "idempotency-key": "k-1", "traceparent": "00-a-b-01", "accept-language": "de",
                "authorization": "Bearer t", "client-address": "192.0.2.7",
            ])
    }

    @Test("the start of the user agent passes as the person's")
    func userAgent() {
        let long = String(repeating: "x", count: 600)
        let passed = entries([.userAgent: long])["client-agent"]
        #expect(passed == String(repeating: "x", count: 512))
        #expect(entries([.userAgent: "curl/8"])["client-agent"] == "curl/8")
        #expect(entries([:])["client-agent"] == nil)
    }

    @Test(
        "nothing else passes",
        arguments: [
            "client-address", "attempt", "application-token", "app", "app-without",
            "x-postern-app", "cookie",
            "client-agent", "place", "agent",
        ])
    func refused(name: String) throws {
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name(name))] = "10.0.0.1"
        #expect(entries(fields) == ["client-address": "192.0.2.7"])
    }

    @Test("the app is the one that the key selects, whatever the request's fields say")
    func app() throws {
        var fields = HTTPFields()
        fields[try #require(HTTPField.Name("app"))] = "blog"
        let metadata = entries(fields, Self.caller(token: nil, app: AppsFixture.phone))
        #expect(metadata["app"] == "shop-ios")
        #expect(metadata["app-without"] == AppsFixture.phone.without.metadataText)
    }

    @Test("the token of a backend is the one that was checked")
    func backend() {
        #expect(entries([:], Self.caller(token: "jwt"))["application-token"] == "jwt")
    }
}
