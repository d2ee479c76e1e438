import JSON
package import ServiceRuntime

/// A JSON Web Token with which an application's backend authenticates one call over HTTP: a JSON
/// Web Signature in compact form (RFC 7515) by the application's Ed25519 key (RFC 8037). The same
/// key proves Hellos. Neither signature can be used as the other: a Hello's message begins with
/// `postern/1 hello` and a zero byte, which no signed part of a token contains.
///
/// Nothing in a token is trusted before `verified`. It stops (RFC 8725): `none` and HMAC with a
/// public key as the secret, a key in the token itself, another kind of token of the same key, and
/// use of the token elsewhere, later, for another method, or with another idempotency key.
package struct ApplicationToken: Sendable {
    /// `typ`: a client assertion. Each kind of token has its own type, so that no kind can be used
    /// in place of another (RFC 8725, 3.11).
    package static let type = "client-authentication+jwt"
    /// The longest time from `iat` to `exp`. Tokens are not stored, so a captured one can be
    /// repeated until it expires.
    package static let lifetimeMax: Duration = .seconds(60)

    /// `kid`: the key's file name without its extension, for example `billing.k1`. Key ids alone
    /// are not unique: most applications have a `k1`.
    package let keyIdentifier: String
    private let token: CompactToken

    /// Parses a token of at most `TokenVerifier.bytesMax` bytes and checks its header.
    /// - Throws: `.malformed`, `.algorithm`, `.type`.
    package init(_ text: String) throws(Refusal) {
        let token: CompactToken
        do throws(TokenRefusal) {
            token = try CompactToken(text, bytesMax: TokenVerifier.bytesMax)
            try token.requireNoOwnKey()
        } catch {
            throw .malformed
        }
        guard token.header["alg"] == .string(EdDSAToken.algorithm) else { throw .algorithm }
        guard token.header["typ"] == .string(Self.type) else { throw .type }
        guard let identifier = token.header["kid"]?.string else { throw .malformed }
        self.token = token
        keyIdentifier = identifier
    }

    /// The claims of a valid token of `application` for a call of `method` at `now`. Verifies the
    /// signature with `key` before it parses the payload.
    /// - Parameters:
    ///   - key: The application's key with the id `keyIdentifier`.
    ///   - idempotencyKey: The call's idempotency key as sent; nil without one.
    ///   - audiences: The origins of this installation, any of which may be the audience.
    /// - Throws: The reason for which it is rejected.
    package func verified(
        by key: Ed25519VerifyingKey, of application: String, method: String,
        idempotencyKey: [UInt8]?, audiences: Set<String>, at now: Timestamp
    ) throws(Refusal) -> Claims {
        let claims = try verified(
            by: key, of: application, method: method, audiences: audiences, at: now)
        // Attack: a thief of a token repeats its body with another key, so that the repeat
        // counts as a new call and takes effect again.
        guard claims.idempotencyKey.map({ Array($0.utf8) }) == idempotencyKey else {
            throw .idempotencyKey
        }
        return claims
    }

    /// The same for a token in a request's field: the call's idempotency key is the token's own.
    /// - Throws: The reason for which it is rejected.
    package func verified(
        by key: Ed25519VerifyingKey, of application: String, method: String,
        audiences: Set<String>, at now: Timestamp
    ) throws(Refusal) -> Claims {
        guard key.verifies(token.signature, of: token.message) else { throw .signature }
        guard let object = JSONReader.object(in: token.payload), let claims = Claims(object) else {
            throw .claims
        }
        guard claims.application == application else { throw .application }
        // A token for another installation or service that knows the same key is not for this one.
        guard audiences.contains(claims.audience) else { throw .audience }
        guard claims.method == method else { throw .method }
        let lifetime = claims.expiresAt - claims.issuedAt
        guard lifetime > .zero, lifetime <= Self.lifetimeMax else { throw .lifetime }
        guard claims.issuedAt <= now + TokenVerifier.leeway else { throw .notYetValid }
        guard now < claims.expiresAt + TokenVerifier.leeway else { throw .expired }
        return claims
    }

    /// A signed token with `claims`.
    /// - Parameter keyIdentifier: The key's file name without its extension.
    /// - Throws: `CryptographyError` when OpenSSL fails.
    package static func sign(
        _ claims: Claims, key: Ed25519SigningKey, keyIdentifier: String
    ) throws -> String {
        try EdDSAToken.sign(
            claims.json, type: type, keyIdentifier: keyIdentifier, key: key)
    }

    /// The claim `bh` for a request with `body`: base64url of its SHA-256, without padding.
    package static func bodyHash(of body: [UInt8]) -> String {
        Base64URL.encode(SHA256.hash(body))
    }

    /// Why a token is rejected. Sent to the caller, because it says nothing that the sender of the
    /// token does not know: an unknown key and a wrong signature have the same answer, so that a
    /// stranger cannot find out which applications and keys exist.
    package enum Refusal: String, Error, Hashable, CaseIterable, Sendable {
        /// Not a JSON Web Signature of at most `TokenVerifier.bytesMax` bytes with a `kid`, or with
        /// `crit` or its own key; or more than one token.
        case malformed
        /// `alg` is not `EdDSA`.
        case algorithm
        /// `typ` is not `ApplicationToken.type`.
        case type
        /// There is no Ed25519 key with that `kid`, or it has not signed the token.
        case signature
        /// A claim is missing or has a wrong type.
        case claims
        /// `iss` and `sub` are not the application that owns the key.
        case application
        /// `aud` is not an origin of this installation.
        case audience
        /// `method` is not the called method.
        case method
        /// `idempotency_key` is not the call's idempotency key; or only one of both is there.
        case idempotencyKey = "idempotency-key"
        /// `bh` is not the hash of the request. Checked by the service that the request is for.
        case body
        /// `exp` is not after `iat`, or more than 60 seconds after it.
        case lifetime
        /// `iat` is in the future.
        case notYetValid = "not-yet-valid"
        /// `exp` has passed.
        case expired
    }
}

extension ApplicationToken {
    /// The claims of a token. Times are whole seconds in a token; fractions are dropped.
    package struct Claims: Hashable, Sendable {
        /// `iss` and `sub` (RFC 7523, 3): the application's name.
        package let application: String
        /// `aud`: the origin of the web service. One text: a token for several audiences could be
        /// used by each of them at the others.
        package let audience: String
        /// `iat`: when the token was issued.
        package let issuedAt: Timestamp
        /// `exp`: when it expires.
        package let expiresAt: Timestamp
        /// `method`: the one method that it may call, for example
        /// `postern.gateway.v1.Auth/SignInWithPassword`.
        package let method: String
        /// `bh`: the hash of the request's body, which the web service checks; absent for a stream.
        package let bodyHash: String?
        /// `idempotency_key`: the call's idempotency key; absent for a call without one.
        package let idempotencyKey: String?
        /// `client_address`: the IP address of the person for whom the backend calls.
        package let clientAddress: String?
        /// `client_agent`: the user agent of that person.
        package let clientAgent: String?

        /// The claims of a token.
        package init(
            application: String, audience: String, issuedAt: Timestamp, expiresAt: Timestamp,
            method: String, bodyHash: String? = nil, idempotencyKey: String? = nil,
            clientAddress: String? = nil, clientAgent: String? = nil
        ) {
            self.application = application
            self.audience = audience
            self.issuedAt = issuedAt
            self.expiresAt = expiresAt
            self.method = method
            self.bodyHash = bodyHash
            self.idempotencyKey = idempotencyKey
            self.clientAddress = clientAddress
            self.clientAgent = clientAgent
        }

        /// Parses a payload. Nil when a required claim is missing, a claim has a wrong type, or
        /// `iss` and `sub` differ.
        init?(_ json: JSONObject) {
            guard let claims = TokenClaims(json: json), claims.audience.count == 1,
                claims.issuer == claims.subject, let method = json["method"]?.string
            else { return nil }
            for name in ["bh", "idempotency_key", "client_address", "client_agent"] {
                guard let value = json[name] else { continue }
                guard value.string != nil else { return nil }
            }
            self.init(
                application: claims.issuer, audience: claims.audience[0],
                issuedAt: claims.issuedAt, expiresAt: claims.expiresAt, method: method,
                bodyHash: json["bh"]?.string, idempotencyKey: json["idempotency_key"]?.string,
                clientAddress: json["client_address"]?.string,
                clientAgent: json["client_agent"]?.string)
        }

        /// The claims as a token's payload.
        var json: JSONObject {
            var object =
                TokenClaims(
                    issuer: application, subject: application, audience: [audience],
                    expiresAt: expiresAt, issuedAt: issuedAt
                ).json
            _ = object.add("method", .string(method))
            if let bodyHash { _ = object.add("bh", .string(bodyHash)) }
            if let idempotencyKey { _ = object.add("idempotency_key", .string(idempotencyKey)) }
            if let clientAddress { _ = object.add("client_address", .string(clientAddress)) }
            if let clientAgent { _ = object.add("client_agent", .string(clientAgent)) }
            return object
        }
    }
}
