import ArgumentParser
import CoreMetrics
import Cryptography
import ServiceRuntime

/// Password checks a second by the pool alone, which sign-ins are compared with.
struct PasswordHashes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "password-hashes")

    @Option(help: "Concurrent checks.")
    var workers = 32
    @Option(help: "Seconds.")
    var seconds = 10
    @Option(help: "Memory of a hash, in KiB.")
    var memory = Argon2Parameters.standard.memoryKiB
    @Option(help: "Passes over it.")
    var passes = Argon2Parameters.standard.passes

    func run() async throws {
        let pool = try PasswordHashPool(
            settings: PasswordHashPool.Settings(
                parameters: Argon2Parameters(memoryKiB: memory, passes: passes, lanes: 1)),
            time: SystemTime(), randomness: SecureRandomness(),
            metrics: NOOPMetricsHandler.instance)
        defer { pool.close() }
        let stored = try await pool.hash(password: SecretBytes(copying: "Correct7Horse".utf8))
        let rate = try await Throughput(workers: workers, duration: .seconds(seconds))
            .measure { _ in
                let password = SecretBytes(copying: "Correct7Horse".utf8)
                guard try await pool.verify(password: password, against: stored) else {
                    throw ValidationError("the password does not match its own hash")
                }
            }
        Figure(name: "password-hashes", value: rate, unit: "hashes/s").report()
    }
}
