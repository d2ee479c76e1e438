import Cryptography

/// Detects texts that are typed along the keyboard: `qwerty`, `1qaz2wsx`, `abc123`, `aaaa`,
/// `1q2w3e4r`.
///
/// A run is three or more characters in which each is the neighbour of the previous one in one of
/// `lines`, in a constant direction, or in which all are equal. A text matches if runs cover all of
/// it except two characters, or if its even and odd characters are both covered by runs completely.
enum KeyboardRuns {
    private static let runMin = 3
    /// Characters outside of runs, in total: `Aa123456`.
    private static let leftOverMax = 2
    /// The minimum for each half of a text such as `1q2w3e`.
    private static let halfMin = 3

    /// The alphabet, the rows of QWERTY, QWERTZ and AZERTY, and their columns.
    private static let lines: [[UInt8]] = [
        "abcdefghijklmnopqrstuvwxyz", "1234567890", "0123456789", "qwertyuiop[]", "asdfghjkl;'",
        "zxcvbnm,./", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm", "wxcvbn", "!@#$%^&*()",
        "!\"#$%&/()=",
        "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "8ik,", "9ol.", "1qay", "6zhn",
        "1aqw", "!qaz", "@wsx", "147", "258", "369", "159", "357", "753", "951", "7410", "8520",
    ].map { Array($0.utf8) }

    private static let characters = 128
    /// For each pair of characters, by their values: a bit set of the lines in which the second
    /// follows the first. There are at most 64 lines.
    private static let nexts: [UInt64] = {
        var nexts = [UInt64](repeating: 0, count: characters * characters)
        for (number, line) in lines.enumerated() {
            for (here, there) in zip(line, line.dropFirst()) {
                nexts[Int(here) * characters + Int(there)] |= 1 << UInt64(number)
            }
        }
        return nexts
    }()

    /// Whether all of `text` is typed along the keyboard.
    static func has(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.allSatisfy({ $0 < 0x80 }) else { return false }
        var text = Array(text)
        defer { wipe(&text) }
        if leftOver(text) <= leftOverMax, text.count >= runMin { return true }
        var odd = stride(from: 0, to: text.count, by: 2).map { text[$0] }
        var even = stride(from: 1, to: text.count, by: 2).map { text[$0] }
        defer {
            wipe(&odd)
            wipe(&even)
        }
        return even.count >= halfMin && leftOver(odd) == 0 && leftOver(even) == 0
    }

    /// The number of characters outside of runs.
    private static func leftOver(_ text: [UInt8]) -> Int {
        var (place, count) = (0, 0)
        while place < text.count {
            let length = longestRun(text[place...])
            if length < runMin { count += 1 }
            place += length < runMin ? 1 : length
        }
        return count
    }

    private static func longestRun(_ text: ArraySlice<UInt8>) -> Int {
        let same = text.prefix { $0 == text.first }.count
        let forward = run(text) { nexts[$0 * characters + $1] }
        return max(same, forward, run(text) { nexts[$1 * characters + $0] })
    }

    /// - Parameter lines: the lines in which the second character follows the first.
    private static func run(_ text: ArraySlice<UInt8>, lines: (Int, Int) -> UInt64) -> Int {
        var (length, common) = (1, UInt64.max)
        for (here, there) in zip(text, text.dropFirst()) {
            common &= lines(Int(here), Int(there))
            if common == 0 { break }
            length += 1
        }
        return length
    }
}
