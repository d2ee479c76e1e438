import Addresses
import Contracts
package import RPC

/// An app of the operator's, a web page or a program on phones, with the rules that its publishable
/// key selects. The key is no secret: it stands in the page's source.
package struct App: Hashable, Sendable {
    /// The operator's name for it, for example `shop-web`.
    package let name: String
    /// The publishable key, `pk_…`.
    package let key: String
    /// Where it runs.
    package let platforms: Set<AppPlatform>
    /// The origins of its pages, as browsers send them.
    package let origins: Set<String>
    /// Where links and sign-ins may lead back to.
    package let redirectURIs: [String]
    /// The public methods that it may call; nil for all of them.
    package let methods: [MethodPattern]?
    /// How it receives refresh tokens.
    package let refresh: RefreshTokenDelivery
    /// Where it takes Apple's answer; nil for an app that has no dialog of Apple's on the web.
    package var appleReturn: AppleReturn?

    /// Whether it may call a public method.
    func allows(_ method: String) -> Bool {
        guard let methods else { return true }
        return methods.contains { $0.matches(method, isPublic: true) }
    }

    /// The ways to sign in that it does not have, since it may not call all of their rpcs (G-36).
    var without: Set<SignInWay> {
        guard methods != nil else { return [] }
        return Set(SignInWay.allCases.filter { way in !way.methods.allSatisfy { allows($0.name) } })
    }

    /// Whether a text can be an app's key: `pk_` and at least 32 characters of base64url, which are
    /// 128 bits even if they are hexadecimal digits. A key that could be guessed would let others
    /// act under the app's name.
    static func isKey(_ text: String) -> Bool {
        text.hasPrefix("pk_") && (35...131).contains(text.utf8.count)
            && text.utf8.dropFirst(3).allSatisfy(\.isBase64URLDigit)
    }

    /// Whether a text can be a redirect URI (RFC 6749, section 3.1.2; RFC 8252, section 7): it is
    /// absolute and without a fragment, and names `https`, this machine by `http`, or a scheme with
    /// a dot (`org.example.app:/signed-in`), so neither `javascript:` nor `data:`.
    static func isRedirectURI(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"#*\\\"<>".utf8.contains($0) }),
            let colon = text.firstIndex(of: ":")
        else { return false }
        let scheme = text[..<colon]
        guard scheme == "https" || scheme == "http" else {
            return scheme.contains(".") && WebOrigin("\(scheme)://host") != nil
        }
        let afterScheme = text[colon...].dropFirst(3)
        guard text[colon...].hasPrefix("://") else { return false }
        let authority = afterScheme.prefix { !"/?".contains($0) }
        return WebOrigin("\(scheme)://\(authority)") != nil
    }
}

/// Where an app runs.
package enum AppPlatform: String, CaseIterable, CustomStringConvertible, Sendable {
    case android, cli, desktop, ios, web

    /// Its name in the apps file.
    package var description: String { rawValue }
}

extension UInt8 {
    /// Whether it is one of the 64 characters of base64url (RFC 4648, section 5).
    var isBase64URLDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// How an app receives refresh tokens.
package enum RefreshTokenDelivery: String, CaseIterable, Sendable {
    /// In the response's body: the app keeps it.
    case body
    /// In a cookie that no script of the page can read.
    case cookie
}
