import Cryptography
import Logging
import NIOPosix
import RPC
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import WebService

@Suite("The web service's paths, by curl")
struct WebServiceTests {
    /// A listener of the web service whose gateway is never called.
    private func withListener(
        isReady: @escaping @Sendable () -> Bool, _ test: (String) throws -> Void
    ) async throws {
        let settings: WebSettings = try SettingsLoader.settings()
        let group = MultiThreadedEventLoopGroup.singleton
        let (time, randomness) = (SystemTime(), SeededRandomness())
        let gateway = RPCClient(
            ClientSettings(
                service: "postern.gateway", host: "127.0.0.1", port: 1, application: "web",
                keyID: "", secret: nil),
            group: group, time: time, randomness: randomness)
        let service = try WebService(
            settings: settings, gateway: gateway, streams: gateway, pageKey: nil, time: time,
            randomness: randomness, logger: CapturedLog().logger())
        let listener = try await WebListener.start(
            settings.listener(host: "127.0.0.1", port: 0, isPlaintextTrusted: false, .init()),
            group: group, time: time, randomness: randomness,
            logger: CapturedLog().logger(),
            responder: service.responder { (isReady(), "serving, degraded: gateway\n") })
        defer { Task { await listener.drain() } }
        try test("http://127.0.0.1:\(listener.port)")
    }

    private func curl(_ arguments: String...) throws -> String {
        try SystemCommand("curl", ["--silent", "--max-time", "10", "--include"] + arguments).said
    }

    @Test("health is 200 or 503, without a key and without naming parts")
    func health() async throws {
        let isReady = Mutex(true)
        try await withListener(isReady: { isReady.withLock { $0 } }) { url in
            let ready = try curl("\(url)/health?from=balancer")
            #expect(ready.hasPrefix("HTTP/1.1 200"), "\(ready)")
            #expect(ready.hasSuffix("\r\n\r\nserving\n"))
            isReady.withLock { $0 = false }
            let waiting = try curl("\(url)/health")
            #expect(waiting.hasPrefix("HTTP/1.1 503"), "\(waiting)")
            #expect(waiting.hasSuffix("\r\n\r\nnot serving\n"))
            let head = try curl("--head", "\(url)/health")
            #expect(head.hasPrefix("HTTP/1.1 503"))
            #expect(head.contains("content-length: 12\r\n"))
            let posted = try curl("--request", "POST", "\(url)/health")
            #expect(posted.hasPrefix("HTTP/1.1 405"))
            #expect(posted.contains("allow: GET, HEAD\r\n"))
        }
    }

    @Test("openapi.json is read once and then by its tag; it is read only, and a 405 says so")
    func openAPI() async throws {
        try await withListener(isReady: { true }) { url in
            let whole = try curl("\(url)/openapi.json")
            #expect(whole.hasPrefix("HTTP/1.1 200"))
            #expect(whole.contains("content-type: application/json\r\n"))
            let tag = try #require(
                whole.split(separator: "\r\n").first { $0.hasPrefix("etag: ") }?.dropFirst(6))
            let again = try curl("--header", "if-none-match: \(tag)", "\(url)/openapi.json")
            #expect(again.hasPrefix("HTTP/1.1 304"), "\(again)")
            #expect(again.contains("etag: \(tag)\r\n"))
            #expect(again.hasSuffix("\r\n\r\n"))
            let head = try curl("--head", "\(url)/openapi.json")
            #expect(head.hasPrefix("HTTP/1.1 200"), "\(head)")
            let bytes = whole.utf8.count - head.utf8.count
            #expect(head.contains("content-length: \(bytes)\r\n"), "\(head)")
            let posted = try curl("--request", "POST", "\(url)/openapi.json")
            #expect(posted.hasPrefix("HTTP/1.1 405"), "\(posted)")
            #expect(posted.contains("allow: GET, HEAD\r\n"))
        }
    }

    @Test("a person who opens the address in a browser reads what is there")
    func root() async throws {
        try await withListener(isReady: { true }) { url in
            let root = try curl("\(url)/")
            #expect(root.hasPrefix("HTTP/1.1 404"), "\(root)")
            #expect(root.contains("content-type: text/plain; charset=utf-8\r\n"))
            #expect(root.contains("There is no page here."))
            let call = try curl(
                "--header", "content-type: application/json", "--data", "{}", "\(url)/")
            #expect(call.contains("unimplemented"), "\(call)")
        }
    }

    @Test("at /oauth2 a backend's token that names another body is refused")
    func otherBody() async throws {
        let claims =
            "{\"exp\":4000000000,\"method\":\"postern.gateway.v1.Auth/SignOut\",\"bh\":\"AA\"}"
        let token = ["{\"alg\":\"EdDSA\"}", claims, "signature"]
            .map { Base64URL.encode($0.utf8) }.joined(separator: ".")
        try await withListener(isReady: { true }) { url in
            let inHeader = try curl(
                "--header", "x-postern-app: \(token)", "--data", "token=a", "\(url)/oauth2/revoke")
            #expect(inHeader.hasPrefix("HTTP/1.1 401"), "\(inHeader)")
            let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
            let inBody = try curl(
                "--data", "token=a&client_assertion_type=\(type)&client_assertion=\(token)",
                "\(url)/oauth2/revoke")
            #expect(inBody.hasPrefix("HTTP/1.1 401"), "\(inBody)")
        }
    }

    @Test("G-17: photos have their paths, with errors in the form of calls")
    func photos() async throws {
        try await withListener(isReady: { true }) { url in
            let anonymous = try curl("--request", "PUT", "--data", "x", "\(url)/v1/photo")
            #expect(anonymous.hasPrefix("HTTP/1.1 401"), "\(anonymous)")
            #expect(anonymous.contains("rpc/unauthenticated"))
            let read = try curl("\(url)/v1/photo?a=b")
            #expect(read.hasPrefix("HTTP/1.1 405"), "\(read)")
            #expect(read.contains("allow: PUT\r\n"))
            let unnamed = try curl("\(url)/v1/photos/")
            #expect(unnamed.hasPrefix("HTTP/1.1 404"), "\(unnamed)")
            #expect(unnamed.contains("rpc/not-found"))
        }
    }

    @Test("G-16: guests' bundles have their path, with errors in the form of calls")
    func bundles() async throws {
        try await withListener(isReady: { true }) { url in
            let anonymous = try curl("--request", "PUT", "--data", "{}", "\(url)/v1/guest-bundle")
            #expect(anonymous.hasPrefix("HTTP/1.1 401"), "\(anonymous)")
            #expect(anonymous.contains("rpc/unauthenticated"))
            let read = try curl("\(url)/v1/guest-bundle")
            #expect(read.hasPrefix("HTTP/1.1 405"), "\(read)")
        }
    }

    @Test("G-31: Apple's answer has its path; without pages a person reads a plain one")
    func appleReturn() async throws {
        try await withListener(isReady: { true }) { url in
            let unknown = try curl("--data", "state=shop.1", "\(url)/apple/callback")
            #expect(unknown.hasPrefix("HTTP/1.1 400"), "\(unknown)")
            #expect(unknown.contains("<html lang=\"en\">") && !unknown.contains("<link"))
            let read = try curl("\(url)/apple/callback")
            #expect(read.hasPrefix("HTTP/1.1 405"), "\(read)")
            #expect(read.contains("allow: POST\r\n"))
        }
    }

    @Test("any other path is a call, and one that is no method is 404")
    func calls() async throws {
        try await withListener(isReady: { true }) { url in
            let unknown = try curl(
                "--header", "content-type: application/json", "--data", "{}",
                "\(url)/postern.gateway.v1.Auth/Nothing")
            #expect(unknown.hasPrefix("HTTP/1.1 404"), "\(unknown)")
            let anonymous = try curl(
                "--header", "content-type: application/json", "--data", "{}",
                "\(url)/postern.gateway.v1.Auth/SignInAsGuest")
            #expect(anonymous.hasPrefix("HTTP/1.1 40"), "\(anonymous)")
        }
    }
}
