package import Messages
package import TestSupport

extension GatewayV1.PasskeyRegistration {
    /// What a browser returns of a new passkey.
    package init(_ made: TestRegistration, transports: [String] = ["internal"]) {
        self.init(
            id: made.id, rawId: made.rawID,
            response: GatewayV1.PasskeyAttestation(
                clientDataJson: made.clientDataJSON, attestationObject: made.attestationObject,
                transports: transports), type: made.type)
    }
}

extension GatewayV1.PasskeyAssertion {
    /// What a browser returns of a signature.
    package init(_ signed: TestAssertion) {
        self.init(
            id: signed.id, rawId: signed.rawID,
            response: GatewayV1.PasskeySignature(
                clientDataJson: signed.clientDataJSON,
                authenticatorData: signed.authenticatorData, signature: signed.signature,
                userHandle: signed.userHandle), type: signed.type)
    }
}
