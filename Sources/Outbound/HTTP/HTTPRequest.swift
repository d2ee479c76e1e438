/// One request: a GET, or a POST with its body.
package struct HTTPRequest: Sendable {
    /// The largest body that is sent, in bytes; providers take 4 KiB.
    package static let bodyBytesMax = 1 << 20

    /// What is asked.
    package enum Method: Sendable {
        /// Asks for what is there; may be sent twice.
        case get
        /// Hands a body over.
        case post([UInt8])
    }

    /// What is asked.
    package let method: Method
    /// Where.
    package let url: HTTPURL
    /// Further fields.
    package let headers: [HTTPHeader]

    /// A request.
    package init(_ method: Method, _ url: HTTPURL, headers: [HTTPHeader]) {
        self.method = method
        self.url = url
        self.headers = headers
    }

    /// The body; empty for a GET.
    var body: [UInt8] {
        if case .post(let body) = method { body } else { [] }
    }

    /// Whether an answer may send it elsewhere. Never with a body or a secret: the one would be
    /// handed to, the other be told to a server that the operator has not named.
    var mayFollow: Bool {
        if case .get = method { !headers.contains(where: \.isSecret) } else { false }
    }
}

/// On what terms a request is made: where it may lead, and how much it may cost.
package struct HTTPTerms: Sendable {
    /// Where the host's name may lead, and that of each redirect.
    package let addresses: AddressPolicy
    /// A PEM file of the authorities to trust instead of the system's.
    package let trustFile: String?
    /// How long it may take in all, redirects included.
    package let timeout: Duration
    /// The largest body that is taken, in bytes.
    package let bodyBytesMax: Int
    /// How many redirects a GET follows; 0 hands the redirect itself over.
    package let redirectsMax: Int

    /// Terms; `redirectsMax` is 10 at the most.
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
