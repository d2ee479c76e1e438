import Cryptography
import Glibc
import ServiceRuntime
import TestSupport
import Testing

@testable import IdentityService

/// Leaked passwords as lists have them.
enum LeakedPasswords {
    /// A line of the whole list for each password, sorted.
    static func lines(_ passwords: [(password: String, count: Int)]) -> [String] {
        passwords.map { "\(digits(of: $0.password)):\($0.count)" }.sorted()
    }

    /// A file with a line for each password.
    static func text(_ passwords: [String], count: Int = 1) -> String {
        lines(passwords.map { ($0, count) }).map { $0 + "\n" }.joined()
    }

    /// The forty digits of a password's SHA-1.
    static func digits(of password: String) -> String {
        SHA1.hash(SecretBytes(text: password)).withBytes { Hex.encode($0) }.uppercased()
    }

    static func sha1(_ password: String) throws -> PasswordSHA1 {
        PasswordSHA1(try #require(Password(entered: .init(text: password))))
    }

    /// Writes a long list with planted passwords: the first is in one leak, the second in two. All
    /// other lines are random, and are made in their order: in equal steps, each shifted by less
    /// than a step.
    /// - Throws: if the file cannot be written.
    static func write(_ lines: Int, planting planted: [String], to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer { close(file) }
        let randomness = SeededRandomness(seed: 53)
        let step = UInt64.max / UInt64(lines)
        var waiting = Self.lines(planted.enumerated().map { ($0.element, $0.offset + 1) })[...]
        var buffer: [UInt8] = []
        buffer.reserveCapacity(bufferBytes + 128)
        for number in 0..<UInt64(lines) {
            let start = number * step + randomness.next() % step
            let random = [start, randomness.next(), randomness.next()].flatMap(\.bigEndianBytes)
            let line = "\(Hex.encode(random.prefix(SHA1.byteCount)).uppercased()):1"
            while let next = waiting.first, next < line {
                buffer += "\(waiting.removeFirst())\n".utf8
            }
            buffer += "\(line)\n".utf8
            guard buffer.count >= bufferBytes else { continue }
            try #require(buffer.withUnsafeBytes { Files.write($0, to: file) })
            buffer.removeAll(keepingCapacity: true)
        }
        buffer += waiting.flatMap { Array("\($0)\n".utf8) }
        try #require(buffer.withUnsafeBytes { Files.write($0, to: file) })
    }

    private static let bufferBytes = 1 << 20
}

extension MetricsRegistry {
    /// How many look-ups ended so.
    func breachChecks(_ outcome: String) -> Int {
        let line = prometheusText().split(separator: "\n").first {
            $0.contains("password_breach_checks_total{outcome=\"\(outcome)\"}")
        }
        return line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
    }
}
