import Messages

// A device's key and its signatures, as the session service takes them. The enums have the same
// numbers in both (`PublicAPITests`).

extension SessionV1.DeviceKey {
    init(_ key: GatewayV1.DeviceKey) {
        self.init(
            kind: SessionV1.DeviceKeyKind(rawValue: key.kind.rawValue), publicKey: key.publicKey,
            possession: key.possession)
    }
}

extension SessionV1.DeviceProof {
    init(_ proof: GatewayV1.DeviceProof) {
        self.init(signedAtMs: proof.signedAtMs, signature: proof.signature)
    }
}

extension SessionV1.PresenceProof {
    init(_ proof: GatewayV1.PresenceProof) {
        self.init(
            signedAtMs: proof.signedAtMs, hardwareKey: proof.hardwareKey,
            signature: proof.signature)
    }
}
