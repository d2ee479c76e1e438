import Glibc
import Testing

@testable import Cryptography

/// Freed memory may not be read. These tests therefore search all writable memory of the process,
/// through `/proc/self/mem`, for a pattern that only the wiped bytes had.
@Suite("Secrets are wiped from memory", .serialized)
struct WipingTests {
    @Test("a secret's bytes are not in memory after its release")
    func secretIsGone() throws {
        let pattern = Pattern(seed: 0x51)
        var secret: SecretBytes? = pattern.secret()
        #expect(try pattern.isInMemory())
        withExtendedLifetime(secret) {}
        secret = nil
        #expect(try !pattern.isInMemory())
    }

    @Test("an array's bytes are not in memory after it is wiped")
    func arrayIsGone() throws {
        let pattern = Pattern(seed: 0x52)
        var bytes = [UInt8](repeating: 0, count: Pattern.count)
        bytes.withUnsafeMutableBytes { pattern.fill($0) }
        #expect(try pattern.isInMemory())
        wipe(&bytes)
        #expect(try !pattern.isInMemory())
    }

    @Test("a secret is not in memory after its SHA-1 was computed and it was released")
    func hashedIsGone() throws {
        let pattern = Pattern(seed: 0x54)
        _ = SHA1.hash(pattern.secret())
        #expect(try !pattern.isInMemory())
    }

    @Test("a password is not in memory after it was hashed and released")
    func passwordIsGone() throws {
        let pattern = Pattern(seed: 0x53)
        let memory = try Argon2.Memory(byteCount: 64 * 1_024)
        let parameters = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)
        _ = try Argon2.hash(
            Argon2.Input(
                password: pattern.secret(), salt: [UInt8](repeating: 1, count: 16)),
            parameters: parameters, count: 32, in: memory)
        #expect(try !pattern.isInMemory())
        let bytes = UnsafeBufferPointer(start: memory.base, count: memory.byteCount)
        #expect(bytes.allSatisfy { $0 == 0 })
    }
}

/// Bytes that are computed on demand, so that no other whole copy of them is in memory.
private struct Pattern {
    static let count = 48
    let seed: UInt8

    subscript(index: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: (index &+ 3) &* (index &+ Int(seed))) ^ seed
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        for index in 0..<Self.count { buffer[index] = self[index] }
    }

    func secret() -> SecretBytes {
        SecretBytes(count: Self.count) { fill($0) }
    }

    /// Whether the pattern is anywhere in the writable memory of this process.
    func isInMemory() throws -> Bool {
        let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
        try #require(memory >= 0)
        defer { _ = close(memory) }
        return try Self.writableRanges().contains { range in
            contains(memory, range)
        }
    }

    private func contains(_ memory: Int32, _ range: Range<Int>) -> Bool {
        // Blocks overlap by the pattern's length. The block itself is wiped after the search.
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        guard let base = block.baseAddress else { return false }
        defer {
            memset(base, 0, block.count)
            block.deallocate()
        }
        let own = Int(bitPattern: base)..<Int(bitPattern: base) + block.count
        var start = range.lowerBound
        while start < range.upperBound {
            let count = pread(
                memory, base, min(block.count, range.upperBound - start), off_t(start))
            guard count >= Self.count else { return false }
            let offsets = offsets(in: UnsafeRawBufferPointer(start: base, count: count))
            if offsets.contains(where: { !own.contains(start + $0) }) { return true }
            start += count - Self.count + 1
        }
        return false
    }

    private func offsets(in bytes: UnsafeRawBufferPointer) -> [Int] {
        var found: [Int] = []
        var position = 0
        while let base = bytes.baseAddress, bytes.count - position >= Self.count,
            let hit = memchr(base + position, Int32(self[0]), bytes.count - position)
        {
            let offset = UnsafeRawPointer(hit) - base
            let isWhole = bytes.count - offset >= Self.count
            if isWhole, (0..<Self.count).allSatisfy({ bytes[offset + $0] == self[$0] }) {
                found.append(offset)
            }
            position = offset + 1
        }
        return found
    }

    private static func writableRanges() throws -> [Range<Int>] {
        let file = try #require(fopen("/proc/self/maps", "re"))
        defer { fclose(file) }
        var ranges: [Range<Int>] = []
        var line = [CChar](repeating: 0, count: 4_096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            let parts = String(decoding: text, as: UTF8.self).split(separator: " ")
            guard parts.count > 1, parts[1].hasPrefix("rw") else { continue }
            let ends = parts[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            // Larger ranges are a sanitizer's shadow memory, terabytes of zeros.
            if ends.count == 2, ends[1] - ends[0] < 1 << 30 { ranges.append(ends[0]..<ends[1]) }
        }
        return ranges
    }
}
