import CArgon2

/// Argon2 (RFC 9106) through libargon2: Argon2id of version 0x13, and for imported hashes also
/// Argon2i, Argon2d and the version before.
enum Argon2 {
    /// The version number in a hash's text.
    static let version = 19

    /// The hash of `password`, computed in `memory`, which libargon2 wipes afterwards. Where
    /// `memory` is too small for `parameters`, memory is allocated for this hash alone.
    /// - Throws: `CryptographyError`.
    static func hash(
        _ password: SecretBytes, salt: [UInt8], parameters: Argon2Parameters, count: Int,
        in memory: Argon2Memory
    ) throws -> [UInt8] {
        try hash(
            Input(password: password, salt: salt), parameters: parameters, count: count,
            in: memory)
    }

    /// All inputs of Argon2. The secret and the associated data are needed for RFC 9106's test
    /// vector.
    struct Input {
        let password: SecretBytes
        var salt: [UInt8]
        var secret: [UInt8] = []
        var associatedData: [UInt8] = []
        var kind = Kind.id
        var version = Argon2.version
    }

    /// The three variants of RFC 9106, section 1. The raw values are their names in a hash's text.
    enum Kind: String {
        case id = "argon2id"
        case i = "argon2i"
        case d = "argon2d"

        fileprivate var type: argon2_type {
            switch self {
            case .id: Argon2_id
            case .i: Argon2_i
            case .d: Argon2_d
            }
        }
    }

    static func hash(
        _ input: Input, parameters: Argon2Parameters, count: Int, in memory: Argon2Memory
    ) throws -> [UInt8] {
        let needed = parameters.memoryKiB * 1_024
        let memory = needed <= memory.byteCount ? memory : try Argon2Memory(byteCount: needed)
        var input = input
        let (version, type) = (input.version, input.kind.type)
        return try [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            // libargon2's pointers are not const, but it does not write to these buffers: the flags
            // that would let it wipe them are not set.
            let result = input.password.withBytes { password in
                input.salt.withUnsafeMutableBufferPointer { salt in
                    input.secret.withUnsafeMutableBufferPointer { secret in
                        input.associatedData.withUnsafeMutableBufferPointer { data in
                            var context = argon2_context()
                            context.out = output.baseAddress
                            context.outlen = UInt32(count)
                            context.pwd =
                                UnsafeMutableRawBufferPointer(mutating: password)
                                .bindMemory(to: UInt8.self).baseAddress
                            context.pwdlen = UInt32(password.count)
                            context.salt = salt.baseAddress
                            context.saltlen = UInt32(salt.count)
                            context.secret = secret.baseAddress
                            context.secretlen = UInt32(secret.count)
                            context.ad = data.baseAddress
                            context.adlen = UInt32(data.count)
                            context.t_cost = UInt32(parameters.passes)
                            context.m_cost = UInt32(parameters.memoryKiB)
                            context.lanes = UInt32(parameters.lanes)
                            context.threads = 1
                            context.version = UInt32(version)
                            return cargon2_hash(
                                &context, type, memory.base, memory.byteCount)
                        }
                    }
                }
            }
            guard result == ARGON2_OK.rawValue else {
                throw CryptographyError.library("Argon2: \(result)")
            }
            filled = count
        }
    }
}
