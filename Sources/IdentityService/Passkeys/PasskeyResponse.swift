import Cryptography

/// A new credential as a browser returns it: the members of `RegistrationResponseJSON` that are
/// read (Web Authentication Level 3, section 5.1.8), decoded. Nothing in it is trusted yet.
struct RegistrationResponse: Sendable {
    /// The credential's id.
    let id: [UInt8]
    /// What the browser says of the ceremony.
    let clientData: ClientData
    /// What the authenticator says of it.
    let authenticatorData: AuthenticatorData

    /// Decodes a response from texts in Base64url.
    /// - Throws: `.identifier`, `.identifierLength`, `.credentialType`, `.clientData`,
    ///   `.attestationObject`, `.authenticatorData`.
    init(
        id: String, rawID: String, type: String, clientDataJSON: String, attestationObject: String
    ) throws(PasskeyRefusal) {
        self.id = try PasskeyResponse.id(id, rawID: rawID, type: type)
        clientData = try ClientData(PasskeyResponse.bytes(clientDataJSON, or: .clientData))
        let object = try PasskeyResponse.bytes(attestationObject, or: .attestationObject)
        // The reason does not matter: the log has which part was malformed.
        guard let map = (try? CBORReader.value(in: object))?.map, map["fmt"]?.text != nil,
            map["attStmt"] != nil, let data = map["authData"]?.bytes
        else { throw .attestationObject }
        authenticatorData = try AuthenticatorData(data)
    }
}

/// A signature by a passkey as a browser returns it: the members of `AuthenticationResponseJSON`
/// that are read (the same section), decoded. Nothing in it is trusted yet.
struct AssertionResponse: Sendable {
    /// The longest signature, in bytes: of an RSA key of 4,096 bits.
    private static let signatureBytesMax = 512

    /// The credential's id.
    let id: [UInt8]
    /// What the browser says of the ceremony.
    let clientData: ClientData
    /// What the authenticator says of it.
    let authenticatorData: AuthenticatorData
    /// The signature of both.
    let signature: [UInt8]
    /// The handle of the account; nil where the authenticator left it out.
    let userHandle: [UInt8]?

    /// Decodes a response from texts in Base64url.
    /// - Parameter userHandle: Empty for none.
    /// - Throws: `.identifier`, `.identifierLength`, `.credentialType`, `.clientData`,
    ///   `.authenticatorData`, `.signature`, `.userHandle`.
    init(
        id: String, rawID: String, type: String, clientDataJSON: String, authenticatorData: String,
        signature: String, userHandle: String
    ) throws(PasskeyRefusal) {
        self.id = try PasskeyResponse.id(id, rawID: rawID, type: type)
        clientData = try ClientData(PasskeyResponse.bytes(clientDataJSON, or: .clientData))
        self.authenticatorData = try AuthenticatorData(
            PasskeyResponse.bytes(authenticatorData, or: .authenticatorData))
        self.signature = try PasskeyResponse.bytes(signature, or: .signature)
        guard self.signature.count <= Self.signatureBytesMax else { throw .signature }
        self.userHandle =
            userHandle.isEmpty ? nil : try PasskeyResponse.bytes(userHandle, or: .userHandle)
    }

    /// What the authenticator has signed (section 7.2, step 21).
    var signed: [UInt8] { authenticatorData.bytes + clientData.hash }
}

/// What both kinds of response have.
enum PasskeyResponse {
    /// The size of a credential's id, in bytes (Web Authentication Level 3, section 4, "Credential
    /// ID"). A shorter one could be another person's by chance.
    static let identifierBytes = 16...1_023

    private static let type = "public-key"

    fileprivate static func id(
        _ id: String, rawID: String, type: String
    ) throws(PasskeyRefusal) -> [UInt8] {
        guard type == Self.type else { throw .credentialType }
        let bytes = try Self.bytes(id, or: .identifier)
        guard rawID.utf8.elementsEqual(id.utf8) else { throw .identifier }
        guard identifierBytes.contains(bytes.count) else { throw .identifierLength }
        return bytes
    }

    /// The bytes of a text, of which there is one for them: see `Base64`.
    fileprivate static func bytes(
        _ text: String, or refusal: PasskeyRefusal
    ) throws(PasskeyRefusal) -> [UInt8] {
        guard let bytes = Base64URL.decode(text.utf8) else { throw refusal }
        return bytes
    }
}
