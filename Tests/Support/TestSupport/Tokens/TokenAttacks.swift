import Cryptography

/// Tokens made by an attacker who has a valid token and the published keys, but none of our private
/// keys: the attacks of RFC 8725 on our own tokens. A verifier must reject all of them.
package struct TokenAttacks {
    /// One forged token and a description of the attack.
    package struct Forgery: Sendable, CustomStringConvertible {
        /// A description of the attack.
        package let description: String
        /// The token.
        package let token: String
    }

    private let parts: [String]
    private let kid: String
    private let jwks: String
    private let type: String
    private let stranger: SigningKey

    /// Prepares attacks on a verifier that accepts `token`. Its key `kid` is published in `jwks`,
    /// and its `typ` is `type`. Nil if `token` does not have three parts.
    /// - Throws: if a key cannot be generated.
    package init?(on token: String, kid: String, jwks: String, type: String = "at+jwt") throws {
        parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3 else { return nil }
        self.kid = kid
        self.jwks = jwks
        self.type = type
        stranger = try SigningKey.generate()
    }

    /// All forged tokens.
    /// - Throws: if `jwks` cannot be parsed or a forged token cannot be signed.
    package func forgeries() throws -> [Forgery] {
        try unsigned() + macs() + ownKeys() + names() + headers() + cuts() + signatures()
    }

    /// `none`, in spellings that parsers have accepted.
    private func unsigned() -> [Forgery] {
        ["none", "None", "NONE", "nOnE", "", "null"].flatMap { algorithm in
            let header = Self.encoded(#"{"alg":"\#(algorithm)","typ":"\#(type)","kid":"\#(kid)"}"#)
            return [
                Forgery(
                    description: "alg \(algorithm), no signature", token: "\(header).\(parts[1])."),
                Forgery(
                    description: "alg \(algorithm), the old signature",
                    token: "\(header).\(parts[1]).\(parts[2])"),
            ]
        }
    }

    /// HMACs whose key is one of our published values (CVE-2015-9235).
    private func macs() throws -> [Forgery] {
        let set = try JSONWebKeySet(json: jwks.utf8)
        let point = set[kid].map { $0.x + $0.y } ?? []
        let header = Self.encoded(#"{"alg":"HS256","typ":"\#(type)","kid":"\#(kid)"}"#)
        let keys = [Array(jwks.utf8), point, [4] + point, Array(kid.utf8)]
        return keys.enumerated().map { number, key in
            let message = "\(header).\(parts[1])"
            let mac = KeyedHash(key: SecretBytes(copying: key)).hash(Array(message.utf8))
            return Forgery(
                description: "HS256 under public text \(number)",
                token: "\(message).\(Base64URL.encode(mac))")
        }
    }

    /// The attacker's own key in the header, or a URL to fetch it from.
    private func ownKeys() throws -> [Forgery] {
        let key = stranger.verifyingKey
        let (x, y) = (Base64URL.encode(key.x), Base64URL.encode(key.y))
        let jwk = #"{"kty":"EC","crv":"P-256","x":"\#(x)","y":"\#(y)"}"#
        let members = [
            #""jwk":\#(jwk)"#, #""jku":"http://127.0.0.1:9/keys""#,
            #""x5u":"http://127.0.0.1:9/chain""#, #""x5c":["MAA="]"#,
        ]
        return try members.flatMap { member in
            try [kid, key.identifier].map { name in
                try signed(
                    #"{"alg":"ES256","typ":"\#(type)","kid":"\#(name)",\#(member)}"#,
                    "\(member.prefix(6)) as \(name.prefix(4))")
            }
        }
    }

    /// Key ids that are not ours, or that contain more than an id.
    private func names() throws -> [Forgery] {
        let key = stranger.verifyingKey.identifier
        let kids = [
            #""kid":"""#, #""kid":"../../../../dev/null""#, #""kid":"' OR 1=1 --""#,
            #""kid":"\#(key)""#, #""kid":null"#, #""kid":0"#, #""kid":["\#(kid)"]"#,
            #""kid":"\#(kid)\u0000""#, #""KID":"\#(kid)""#, #""kid":"\#(kid) ""#,
            #""kid":"\#(kid)""#,
        ]
        return try kids.map { try signed(#"{"alg":"ES256","typ":"\#(type)",\#($0)}"#, $0) }
    }

    /// Headers that request something else, with the attacker's signature and with the original
    /// one.
    private func headers() throws -> [Forgery] {
        let name = #""kid":"\#(kid)""#
        return try [
            #"{"alg":"ES384","typ":"\#(type)",\#(name)}"#,
            #"{"alg":"RS256","typ":"\#(type)",\#(name)}"#,
            #"{"alg":"es256","typ":"\#(type)",\#(name)}"#,
            #"{"alg":["ES256"],"typ":"\#(type)",\#(name)}"#,
            #"{"typ":"\#(type)",\#(name)}"#, #"{"alg":"ES256",\#(name)}"#,
            #"{"alg":"ES256","typ":"JWT",\#(name)}"#,
            #"{"alg":"ES256","typ":"\#(type)","crit":["b64"],"b64":false,\#(name)}"#,
            #"{"alg":"none","alg":"ES256","typ":"\#(type)",\#(name)}"#,
        ].flatMap { header in
            [
                try signed(header, header),
                Forgery(
                    description: "\(header) before the true signature",
                    token: "\(Self.encoded(header)).\(parts[1]).\(parts[2])"),
            ]
        }
    }

    private func cuts() -> [Forgery] {
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        let texts = [
            "", ".", "..", header, "\(header).\(payload)", "\(header).\(payload).",
            "\(header)..\(signature)", ".\(payload).\(signature)",
            "\(payload).\(header).\(signature)", "\(header).\(signature).\(payload)",
            "\(header).\(payload).\(signature.prefix(43))", "\(header).\(payload).\(signature)AAAA",
            "\(header).\(payload).\(signature).\(signature)",
            "\(header).\(payload.dropLast(4)).\(signature)",
            "\(header).\(payload).\(signature)=", "Bearer \(header).\(payload).\(signature)",
            "\(header).\(payload).\(signature)\n",
        ]
        return texts.map { Forgery(description: "cut or swapped", token: $0) }
    }

    /// Signature values that pass a verifier which does not check their range (CVE-2022-21449).
    private func signatures() -> [Forgery] {
        [UInt8(0), 1, 0xFF].map { byte in
            let signature = Base64URL.encode([UInt8](repeating: byte, count: 64))
            return Forgery(
                description: "a signature of \(byte)s",
                token: "\(parts[0]).\(parts[1]).\(signature)")
        }
    }

    /// The payload with another header, signed by the attacker.
    private func signed(_ header: String, _ description: String) throws -> Forgery {
        let message = "\(Self.encoded(header)).\(parts[1])"
        let signature = try stranger.sign(message.utf8)
        return Forgery(
            description: description, token: "\(message).\(Base64URL.encode(signature))")
    }

    private static func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
}
