/// An imported Argon2 hash of another variant, version or cost than this system's own:
/// `$argon2i$v=19$m=65536,t=4,p=1$salt$hash`, as the argon2 library writes it. Without `v=` it has
/// the first version, 16.
struct ForeignArgon2Hash: Hashable, Sendable {
    private static let versions: Set<Int> = [16, 19]
    private static let passesMax = 1_024
    private static let lanesMax = 64
    private static let hashBytes = 12...64

    let kind: Argon2.Kind
    let version: Int
    let parameters: Argon2Parameters
    let salt: [UInt8]
    let hash: [UInt8]

    /// - Throws: `PasswordHashError`.
    init(_ parts: ForeignHash.TextParts) throws(PasswordHashError) {
        guard let kind = Argon2.Kind(rawValue: parts[0]), parts.count == 4 || parts.count == 5
        else { throw PasswordHashError.malformed }
        let isVersioned = parts.count == 5
        let version = isVersioned ? try parts.numbers(["v"], at: 1) : [16]
        let next = isVersioned ? 2 : 1
        let numbers = try parts.numbers(["m", "t", "p"], at: next)
        guard let version = version.first, Self.versions.contains(version), numbers.count == 3
        else {
            throw PasswordHashError.malformed
        }
        self.kind = kind
        self.version = version
        parameters = try Self.parameters(numbers[0], numbers[1], numbers[2])
        salt = try parts.bytes(at: next + 1, 8...64)
        hash = try parts.bytes(at: next + 2, Self.hashBytes)
    }

    /// - Throws: `PasswordHashError` with `.tooCostly`, or `.malformed` for values that Argon2 does
    ///   not allow.
    private static func parameters(
        _ memoryKiB: Int, _ passes: Int, _ lanes: Int
    ) throws(PasswordHashError) -> Argon2Parameters {
        guard passes >= 1, lanes >= 1 else { throw PasswordHashError.malformed }
        guard memoryKiB <= ForeignHash.Cost.memoryBytesMax / 1_024, passes <= passesMax,
            lanes <= lanesMax
        else { throw PasswordHashError.tooCostly }
        guard memoryKiB >= 8 * lanes else { throw PasswordHashError.malformed }
        let parameters = Argon2Parameters(memoryKiB: memoryKiB, passes: passes, lanes: lanes)
        try cost(of: parameters).requireAllowed()
        return parameters
    }

    var cost: ForeignHash.Cost { Self.cost(of: parameters) }

    private static func cost(of parameters: Argon2Parameters) -> ForeignHash.Cost {
        ForeignHash.Cost(
            memoryBytes: parameters.memoryKiB * 1_024, microseconds: parameters.microseconds)
    }

    var text: String {
        "\(schemeName)$\(Base64.encodeUnpadded(salt))$\(Base64.encodeUnpadded(hash))"
    }

    var schemeName: String {
        "$\(kind.rawValue)$v=\(version)$m=\(parameters.memoryKiB),t=\(parameters.passes),"
            + "p=\(parameters.lanes)"
    }

    func matches(_ password: SecretBytes, in memory: Argon2.Memory) throws -> Bool {
        var input = Argon2.Input(password: password, salt: salt)
        input.kind = kind
        input.version = version
        let found = try Argon2.hash(
            input, parameters: parameters, count: hash.count, in: memory)
        return constantTimeEqual(found, hash)
    }
}
