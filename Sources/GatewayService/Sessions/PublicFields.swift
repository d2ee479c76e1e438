import ServiceRuntime

extension ServiceError {
    /// The public names of the request fields that the inner services name otherwise.
    private static let publicFields = [
        "device_id": "device.device_id",
        "device_key.kind": "device.key.kind",
        "device_key.public_key": "device.key.public_key",
        "device_key.possession": "device.key.possession",
    ]

    /// An inner service's error with the fields that the caller of the public API sent.
    var withPublicFields: ServiceError { renamingFields { Self.publicFields[$0] ?? $0 } }
}
