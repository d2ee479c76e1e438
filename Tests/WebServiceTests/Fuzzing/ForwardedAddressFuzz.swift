import Addresses

@testable import WebService

/// A client writes anything into `X-Forwarded-For` and `Forwarded`, and a trusted proxy adds the
/// client's address behind it, as the proxies do: the address that counts is the client's, or the
/// proxy's where the client's text makes the field unreadable, and never another one.
package enum ForwardedAddressFuzz {
    private static let trusted = AddressNetwork("10.0.0.0/8").map { [$0] } ?? []

    /// A description of what is wrong, or nil.
    package static func finding(_ input: [UInt8]) -> String? {
        guard let proxy = ClientAddress("10.0.0.1"), let client = ClientAddress("203.0.113.9")
        else {
            return "the addresses of the proxy and the client"
        }
        let text = String(decoding: input, as: UTF8.self)
        let common = "203.0.113.9", standard = "for=203.0.113.9"
        let cases: [(name: String, forwarded: [String], xForwardedFor: [String], exact: Bool)] = [
            ("X-Forwarded-For, appended", [], ["\(text), \(common)"], true),
            ("X-Forwarded-For, in its own field", [], [text, common], true),
            ("Forwarded, appended", ["\(text), \(standard)"], [], false),
            ("Forwarded, in its own field", [text, standard], [], true),
            ("Forwarded beside it", [text], [common], false),
            ("X-Forwarded-For beside it", [standard], [text], false),
        ]
        for (name, forwarded, xForwardedFor, exact) in cases {
            let found = address(proxy, isFromTrustedProxy: true, forwarded, xForwardedFor)
            guard found == client || !exact && found == proxy else { return "\(name): \(found)" }
        }
        let stranger = address(client, isFromTrustedProxy: false, [text], [text])
        guard stranger == client else { return "from a stranger: \(stranger)" }
        // Nothing is known about the address that these name; they must be read.
        _ = address(proxy, isFromTrustedProxy: true, [text], [])
        _ = address(proxy, isFromTrustedProxy: true, [], [text])
        return nil
    }

    private static func address(
        _ peer: ClientAddress, isFromTrustedProxy: Bool, _ forwarded: [String],
        _ xForwardedFor: [String]
    ) -> ClientAddress {
        ForwardedAddress.of(
            peer: peer, isFromTrustedProxy: isFromTrustedProxy, forwarded: forwarded,
            xForwardedFor: xForwardedFor, trusted: trusted)
    }
}
