/// One request: a GET, or a POST with its body.
package struct HTTPRequest: Sendable {
    /// The largest body of a request, in bytes. Providers accept 4 KiB.
    package static let bodyBytesMax = 1 << 20

    /// The method, with a body for POST.
    package enum Method: Sendable {
        /// Reads a resource. May be sent twice.
        case get
        /// Sends a body.
        case post([UInt8])
    }

    /// The method.
    package let method: Method
    /// The URL.
    package let url: HTTPURL
    /// Additional header fields.
    package let headers: [HTTPHeader]

    /// A request.
    package init(_ method: Method, _ url: HTTPURL, headers: [HTTPHeader]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The body. Empty for a GET.
    var body: [UInt8] {
        if case .post(let body) = method { body } else { [] }
    }

    /// Whether redirects may be followed. Never with a body or a secret, which would be sent to a
    /// server that the operator has not configured.
    var mayFollow: Bool {
        if case .get = method { !headers.contains(where: \.isSecret) } else { false }
    }
}

/// The conditions of a request: the allowed addresses, and the limits on time and size.
package struct HTTPTerms: Sendable {
    /// The addresses to which the host's name, and that of each redirect, may resolve.
    package let addresses: AddressPolicy
    /// A PEM file of trusted authorities that replace the system's.
    package let trustFile: String?
    /// The time limit in all, redirects included.
    package let timeout: Duration
    /// The largest response body, in bytes.
    package let bodyBytesMax: Int
    /// How many redirects a GET follows. With 0, the redirect itself is returned.
    package let redirectsMax: Int

    /// The terms. `redirectsMax` is 10 at most.
    package init(
        addresses: AddressPolicy, trustFile: String?, timeout: Duration, bodyBytesMax: Int,
        redirectsMax: Int
    ) {
        self.addresses = addresses
        self.trustFile = trustFile
        self.timeout = timeout
        self.bodyBytesMax = max(0, bodyBytesMax)
        self.redirectsMax = min(max(0, redirectsMax), 10)
    }
}

/// Encodes forms as `application/x-www-form-urlencoded` (WHATWG URL, 5.2).
package enum FormBody {
    /// The encoded fields, in their order.
    package static func encode(_ fields: [(name: String, value: String)]) -> [UInt8] {
        Array(
            fields.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&").utf8)
    }

    /// Escapes everything but letters, digits and `-._~` as `%XX`, which is safe in forms, queries
    /// and paths.
    package static func escape(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                [byte]
            default: [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
