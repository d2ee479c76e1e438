import Cryptography

/// Tokens that somebody makes who has a good one, the published keys and no private key of ours:
/// every own-token attack of RFC 8725. All of them must be refused.
package struct TokenAttacks {
    /// One forged token, and by what it tries.
    package struct Forgery: Sendable, CustomStringConvertible {
        /// By what it tries.
        package let description: String
        /// The token.
        package let token: String
    }

    private let parts: [String]
    private let kid: String
    private let jwks: String
    private let type: String
    private let stranger: SigningKey

    /// Attacks on whoever takes `token`, whose key `kid` is published in `jwks` and whose `typ` is
    /// `type`.
    package init?(on token: String, kid: String, jwks: String, type: String = "at+jwt") throws {
        parts = token.split(separator: ".").map(String.init)
        guard parts.count == 3 else { return nil }
        self.kid = kid
        self.jwks = jwks
        self.type = type
        stranger = try SigningKey.generate()
    }

    /// All of them.
    package func forgeries() throws -> [Forgery] {
        try unsigned() + macs() + ownKeys() + names() + headers() + cuts() + signatures()
    }

    /// `none`, in the spellings that parsers have let through.
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

    /// HMACs whose key is what we publish (CVE-2015-9235).
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

    /// A key of the attacker's in the header, or a place to fetch it from.
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

    /// Names of keys that are none of ours, or more than a name.
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

    /// Headers that ask for something else, under a stranger's signature and under the true one.
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

    /// Numbers that satisfy a verifier which does not look at their range (CVE-2022-21449).
    private func signatures() -> [Forgery] {
        [UInt8(0), 1, 0xFF].map { byte in
            let signature = Base64URL.encode([UInt8](repeating: byte, count: 64))
            return Forgery(
                description: "a signature of \(byte)s",
                token: "\(parts[0]).\(parts[1]).\(signature)")
        }
    }

    /// The payload under another header, signed by a stranger.
    private func signed(_ header: String, _ description: String) throws -> Forgery {
        let message = "\(Self.encoded(header)).\(parts[1])"
        let signature = try stranger.sign(message.utf8)
        return Forgery(
            description: description, token: "\(message).\(Base64URL.encode(signature))")
    }

    private static func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
}
