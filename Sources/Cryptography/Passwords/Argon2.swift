import CArgon2
import Glibc

/// Argon2 (RFC 9106) through libargon2: Argon2id of version 0x13, and for imported hashes also
/// Argon2i, Argon2d and the version before.
enum Argon2 {
    /// The version number in a hash's text.
    static let version = 19

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

    /// The hash of a password, computed in `memory`, which libargon2 wipes afterwards. Where
    /// `memory` is too small for `parameters`, memory is allocated for this hash alone.
    /// - Throws: `CryptographyError`.
    static func hash(
        _ input: Input, parameters: Argon2Parameters, count: Int, in memory: Memory
    ) throws -> [UInt8] {
        let needed = parameters.memoryKiB * 1_024
        let memory = needed <= memory.byteCount ? memory : try Memory(byteCount: needed)
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

    /// The memory for hashes, reused by one thread. Mapping 19 MiB for each hash would cost page
    /// faults for all of it. libargon2 wipes it after each hash.
    ///
    /// Uses huge pages where the system has them: a hash reads its memory in random order, and
    /// 4,864 small pages would evict the address translations of the whole machine from the
    /// processor's caches.
    final class Memory {
        private static let hugePageBytes = 2 << 20

        let base: UnsafeMutablePointer<UInt8>
        let byteCount: Int
        private let mapping: UnsafeMutableRawBufferPointer

        /// Maps at least `byteCount` bytes. The system allocates them at first access.
        /// - Throws: `CryptographyError.system` when the system has no memory available.
        init(byteCount: Int) throws {
            let mask = Self.hugePageBytes - 1
            // A whole number of huge pages, plus one for alignment.
            let wanted = (byteCount + mask) & ~mask
            let mapped = mmap(
                nil, wanted + Self.hugePageBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let mapped, mapped != MAP_FAILED else {
                throw CryptographyError.system("memory for password hashes", errno)
            }
            mapping = UnsafeMutableRawBufferPointer(
                start: mapped, count: wanted + Self.hugePageBytes)
            let aligned = mapped + (-Int(bitPattern: mapped) & mask)
            // A core file must not contain traces of passwords. Both calls may fail without effect
            // on the hash.
            _ = madvise(aligned, wanted, MADV_DONTDUMP)
            _ = madvise(aligned, wanted, MADV_HUGEPAGE)
            base = aligned.bindMemory(to: UInt8.self, capacity: wanted)
            self.byteCount = wanted
        }

        deinit { munmap(mapping.baseAddress, mapping.count) }
    }
}

/// The cost of a password hash (RFC 9106, section 3.1).
package struct Argon2Parameters: Hashable, Sendable {
    /// Memory, in KiB.
    package let memoryKiB: Int
    /// Passes over the memory.
    package let passes: Int
    /// Argon2's lanes. They are computed one after another: the pool provides the parallelism.
    package let lanes: Int

    /// OWASP's first choice for Argon2id: 19 MiB, two passes, one lane; 23 ms.
    package static let standard = Argon2Parameters(memoryKiB: 19_456, passes: 2, lanes: 1)

    /// Parameters, which are not validated here: `areAllowed` is for our own hashes,
    /// `ForeignHash.Cost` for imported ones.
    package init(memoryKiB: Int, passes: Int, lanes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// The limits on our own hashes. One setting, or one text of the store, must not be able to
    /// require gigabytes or minutes (RFC 9106 allows 4 TiB).
    static let memoryKiBMax = 64 * 1_024
    static let passesMax = 16
    static let lanesMax = 16
    /// The least memory for each lane, in KiB (RFC 9106, 3.1).
    private static let laneKiBMin = 8

    /// The estimated duration of a hash in microseconds: 23 ms for 19 MiB and 2 passes on the
    /// reference core (`ForeignHash.Cost`), which is 0.6 µs per KiB and pass.
    var microseconds: Int { memoryKiB * passes / 10 * 6 }

    /// Whether all parameters are within the limits.
    var areAllowed: Bool {
        1...Self.lanesMax ~= lanes && 1...Self.passesMax ~= passes
            && Self.laneKiBMin * lanes...Self.memoryKiBMax ~= memoryKiB
    }
}
