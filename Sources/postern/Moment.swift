import ArgumentParser
import ServiceRuntime

/// A day or a time in UTC on the command line: `2026-01-31`, `2026-01-31T09:05`, also with
/// seconds.
struct Moment: Hashable, ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument text: String) {
        let halves = text.split(separator: "T", omittingEmptySubsequences: false)
        guard let day = Timestamp(date: String(halves[0])), halves.count <= 2 else {
            return nil
        }
        let seconds = halves.count == 1 ? 0 : Self.seconds(halves[1])
        guard let seconds else { return nil }
        milliseconds = day.milliseconds + seconds * 1_000
    }

    /// The seconds since midnight of `09:05` or `09:05:30`, which may end with Z.
    private static func seconds(_ text: Substring) -> Int64? {
        let time = text.hasSuffix("Z") ? text.dropLast() : text
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.count == 2 && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
                ? Int64(part) : nil
        }
        guard numbers.count == parts.count, (2...3).contains(numbers.count),
            numbers[0] < 24, numbers.dropFirst().allSatisfy({ $0 < 60 })
        else { return nil }
        return numbers[0] * 3_600 + numbers[1] * 60 + (numbers.count == 3 ? numbers[2] : 0)
    }
}
