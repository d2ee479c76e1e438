import Contracts
import HTTPTypes
import Messages
import ServiceRuntime
import Testing

@testable import WebService

@Suite("Idempotency keys of apps")
struct BoundIdempotencyKeyTests {
    private static let key = "0123456789abcdef"

    private func bound(
        _ key: String = key, app: String = AppsFixture.phoneKey, device: String = "d1"
    ) throws -> String {
        let request = GatewayV1.RefreshSessionRequest(
            refreshToken: "",
            device: GatewayV1.Device(deviceId: device, platform: "", name: "", key: nil),
            deviceProof: nil)
        return try BoundIdempotencyKey.bound(
            key, of: AppsFixture.caller(["x-postern-app": app]), request: request.encoded(),
            method: AppsFixture.method("Auth/RefreshSession"))
    }

    @Test("one key of one app and device is one key")
    func same() throws {
        #expect(try bound() == bound())
        #expect(try bound().utf8.count == 64)
    }

    @Test("another app or device has another key, or a visitor would get another's session")
    func different() throws {
        let keys = [
            try bound(), try bound("0123456789abcdeg"), try bound(app: AppsFixture.otherKey),
            try bound(device: "d2"), try bound(device: ""),
            // Parts do not run into each other.
            try bound("10123456789abcdef", device: "d"),
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test("a request without a device, or that cannot be read, counts as without one")
    func withoutDevice() throws {
        let caller = try AppsFixture.caller(["x-postern-app": AppsFixture.otherKey])
        let method = try AppsFixture.method("Passwords/RequestPasswordReset")
        let keys = try [[], [0xff]].map {
            try BoundIdempotencyKey.bound(Self.key, of: caller, request: $0, method: method)
        }
        #expect(keys[0] == keys[1])
    }

    @Test(
        "a key of an app has 16 to 255 bytes",
        arguments: [(15, false), (16, true), (255, true), (256, false), (0, false)])
    func length(_ count: Int, _ isAccepted: Bool) throws {
        let error = AppsFixture.refusal { _ = try bound(String(repeating: "k", count: count)) }
        #expect((error == nil) == isAccepted)
        #expect(isAccepted || error?.code == .invalidArgument)
        #expect(isAccepted || error?.fields == ["idempotency-key"])
    }

    @Test("a backend's key goes on as it is")
    func backend() throws {
        let caller = WebCaller(
            app: nil, applicationToken: "token", clientAddress: "", responseFields: [:],
            isPlainLoopback: false, bodyHash: nil)
        let key = try BoundIdempotencyKey.bound(
            "short", of: caller, request: [], method: AppsFixture.method("Auth/SignOut"))
        #expect(key == "short")
    }
}
