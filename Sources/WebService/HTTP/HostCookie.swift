import HTTPTypes

/// A cookie that only this host can set and read, for all its paths.
struct HostCookie: Hashable, Sendable {
    /// Which requests of other sites carry it.
    enum SameSite: String {
        /// Links that lead here do.
        case lax = "Lax"
        /// None does.
        case strict = "Strict"
    }

    /// With `__Host-` a browser takes it only from this host, by TLS, for all paths, so no
    /// subdomain can set it. On plain loopback Safari would refuse that.
    let name: String
    private let isPlainLoopback: Bool
    private let valueBytesMax: Int

    init(_ name: String, isPlainLoopback: Bool, valueBytesMax: Int) {
        self.name = isPlainLoopback ? name : "__Host-\(name)"
        self.isPlainLoopback = isPlainLoopback
        self.valueBytesMax = valueBytesMax
    }

    /// The cookie's value in a request. Nil for none, and for several, of which it is not known
    /// which one the web service has set.
    ///
    /// Fields are split at Unicode scalars: another host of the site could set a cookie whose value
    /// ends with a scalar that forms one `Character` with the `;` after it, and so hide this one.
    func value(in fields: HTTPFields) -> String? {
        let prefix = name + "="
        let values = fields[values: .cookie].flatMap { $0.unicodeScalars.split(separator: ";") }
            .map { Substring($0.drop { $0 == " " }) }.filter { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
        guard values.count == 1, let value = values.first, isValue(value) else { return nil }
        return value
    }

    /// The field that sets the cookie, for `maxAge` seconds.
    func field(_ value: String, _ sameSite: SameSite, maxAge: Int) -> HTTPField {
        let secure = isPlainLoopback ? "" : " Secure;"
        var field = HTTPField(
            name: .setCookie,
            value: "\(name)=\(value); HttpOnly;\(secure) SameSite=\(sameSite.rawValue); Path=/; "
                + "Max-Age=\(maxAge)")
        // Not into the compression table of HTTP/2, whose size would betray it (RFC 7541, 7.1.3).
        field.indexingStrategy = .disallow
        return field
    }

    /// Whether a text is base64url, and so cannot end the cookie's value.
    func isValue(_ text: String) -> Bool {
        (1...valueBytesMax).contains(text.utf8.count) && text.utf8.allSatisfy(\.isBase64URLDigit)
    }
}
