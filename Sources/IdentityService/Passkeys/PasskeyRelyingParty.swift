/// The relying party: to whom passkeys belong, and where they may be used (W3C's words).
struct PasskeyRelyingParty: Hashable, Sendable {
    /// The most related origins: browsers read at least five sites of them (Web Authentication
    /// Level 3, section 5.11.1).
    static let relatedMax = 5

    /// The id.
    let id: PasskeyRPID
    /// Its own origins, in the order of the setting.
    let origins: [PasskeyOrigin]
    /// Origins of other sites.
    let related: [PasskeyOrigin]
    private let accepted: Set<[UInt8]>

    init(id: PasskeyRPID, origins: [PasskeyOrigin], related: [PasskeyOrigin]) {
        self.id = id
        self.origins = origins
        self.related = related
        accepted = Set((origins + related).map { Array($0.text.utf8) })
    }

    /// The origins among those of the web service at which passkeys can be used.
    static func origins(of webOrigins: [String], for id: PasskeyRPID) -> [PasskeyOrigin] {
        webOrigins.compactMap { PasskeyOrigin($0, of: id) }
    }

    /// Whether a response may come from an origin: one of the listed texts, byte for byte.
    ///
    /// The attacks:
    /// - *An origin by its suffix, or by the request's Host*: `https://example.org.evil.test`,
    ///   `https://evilexample.org`, another port, a slash at the end, upper case and `null` are
    ///   other texts.
    /// - *A text that only equals a listed one*: to Swift's `==` the Kelvin sign is a K, and an
    ///   app's hash may have one. So bytes are compared.
    func accepts(_ origin: String) -> Bool { accepted.contains(Array(origin.utf8)) }
}
