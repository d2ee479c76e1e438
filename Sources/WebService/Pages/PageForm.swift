import Cryptography
import HTTPTypes
import Messages
import ServiceRuntime

/// The token in the hidden field of a form: a signed double-submit token (OWASP, Cross-Site Request
/// Forgery Prevention). It is a random number with its MAC under the secret in the visit's cookie.
///
/// The attack that it stops: another site's page sends a form here, with the person's cookie. It
/// cannot read the token, and cannot make one.
struct PageForm: Hashable, Sendable {
    /// The name of the hidden field.
    static let field = "form"
    private static let nonceBytes = 16

    private let nonce: [UInt8]
    private let secret: [UInt8]

    /// A form for one rendering of a page.
    init(_ visit: PageVisit, randomness: any Randomness) {
        nonce = randomness.bytes(Self.nonceBytes)
        secret = visit.secret
    }

    /// The form of a token that was sent. Nil unless it was made for this visit.
    init?(token: String, of visit: PageVisit) {
        guard let bytes = Base64URL.decode(token.utf8), bytes.count > Self.nonceBytes else {
            return nil
        }
        nonce = Array(bytes.prefix(Self.nonceBytes))
        secret = visit.secret
        guard mac.verifies(bytes.dropFirst(Self.nonceBytes), of: Self.labelled("token", nonce))
        else { return nil }
    }

    /// The value of the hidden field.
    var token: String { Base64URL.encode(nonce + mac.hash(Self.labelled("token", nonce))) }

    /// The idempotency key of the call with `input`. A form that is sent twice, by a double click
    /// or a reload, is one call; other input in it is another.
    func idempotencyKey(_ call: String, _ input: String) -> String {
        Hex.encode(mac.hash(Self.labelled(call, nonce, Array(input.utf8))))
    }

    /// The browser. A page has no place for tokens, so its session is a brief one.
    var device: GatewayV1.Device {
        GatewayV1.Device(deviceId: deviceID, platform: "web", brief: true)
    }

    /// The device in the call: the browser has no id, so each visit counts as a new one.
    var deviceID: String { "page-" + Hex.encode(mac.lookUpKey(Self.labelled("device"))) }

    private var mac: KeyedHash { KeyedHash(key: SecretBytes(copying: secret)) }

    private static func labelled(_ label: String, _ parts: [UInt8]...) -> [UInt8] {
        DelimitedParts.joined([Array("postern page form v1".utf8), Array(label.utf8)] + parts)
    }

    /// Whether a POST comes from a page of this origin, as the browser says it.
    ///
    /// With `Referrer-Policy: no-referrer` browsers send `Origin: null` with the pages' own forms
    /// (Fetch, "append a request Origin header"), as they do for a sandboxed frame of any site. So
    /// `Sec-Fetch-Site` decides, which no page can set. Browsers before 2023 that send neither it
    /// nor their origin are refused.
    static func isOwn(_ fields: HTTPFields, origin: String) -> Bool {
        if let site = fields[CallerField.fetchSite] { return site == "same-origin" }
        return fields[.origin] == origin
    }
}
