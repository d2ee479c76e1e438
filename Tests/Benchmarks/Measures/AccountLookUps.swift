import ArgumentParser
import Contracts
import CoreMetrics
import Cryptography
import IdentityService
import Messages
import NIOPosix
import RPC
import ServiceRuntime
import Storage

/// The time to find an account among few and among many, by the id that it had elsewhere: one keyed
/// hash, one index entry and one row, as for an email.
struct AccountLookUps: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "account-look-ups")

    @Option(help: "A folder on the disk to measure; its contents are lost.")
    var folder: String
    @Option(help: "Accounts of the smaller store.")
    var few = 5_000
    @Option(help: "Accounts of the larger store; 5,000,000 take half an hour and 6 GB.")
    var many = 50_000
    @Option(help: "Look-ups of each run.")
    var lookUps = 20_000
    @Option(help: "Runs of each store, alternating; the median counts.")
    var runs = 5

    func run() async throws {
        let small = try LookUpFixture(folder: folder, name: "few", accounts: few)
        let large = try LookUpFixture(folder: folder, name: "many", accounts: many)
        try await small.fill()
        let filled = try await large.fill()
        Figure(name: "imports-in-process", value: filled, unit: "accounts/s").report()
        var (smallTimes, largeTimes): ([Double], [Double]) = ([], [])
        for _ in 0..<runs {
            smallTimes.append(try await small.microseconds(lookUps))
            largeTimes.append(try await large.microseconds(lookUps))
        }
        Figure(name: "look-up-among-\(few)", value: .median(smallTimes), unit: "µs").report()
        Figure(name: "look-up-among-\(many)", value: .median(largeTimes), unit: "µs").report()
        Figure(
            name: "look-up-many-to-few", value: .median(largeTimes) / .median(smallTimes), unit: "×"
        ).report()
        small.close()
        large.close()
    }
}
