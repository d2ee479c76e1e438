import Cryptography
import ServiceRuntime
import Storage
import TestSupport

/// A change that somebody who writes the store, without the service's key, makes to its trail.
enum TrailChange: String, CaseIterable {
    case flippedRecord, flippedLink, removedRecord, insertedRecord, swappedRecords, removedLink
    case relinked, shortFront, ownCut, shortEnd, olderCopy, emptied

    /// Only heads that were kept elsewhere show it.
    var needsWitness: Bool { [.shortEnd, .olderCopy, .emptied].contains(self) }

    /// The trail after the change, and positions of which the finding must name one; none where the
    /// finding is about a trail's end. Nil if the draw changes nothing.
    func made(
        to sound: TrailStore.Tables, older: TrailStore.Tables, heads: [Int64],
        _ random: SeededRandomness
    ) -> (tables: TrailStore.Tables, positions: [Int64])? {
        var tables = sound
        // The rows after the anchor.
        let links = 1..<sound.links.count
        let (record, link) = (random.index(in: sound.records.indices), random.index(in: links))
        let number = Self.number(sound.records[record], 0)
        switch self {
        case .flippedRecord:
            guard let flipped = tables.records.flip(record, random) else { return nil }
            return (tables, [number, Self.number(flipped, 0)])
        case .flippedLink:
            let row = random.index(in: sound.links.indices)
            guard let flipped = tables.links.flip(row, random) else { return nil }
            return (tables, Self.ends(sound.links[row]) + Self.ends(flipped))
        case .removedRecord:
            tables.records.remove(at: record)
            return (tables, [number])
        case .insertedRecord:
            // A copy of the last record would come after the last link, where nothing is covered.
            guard record < sound.records.count - 1 else { return nil }
            for index in record..<sound.records.count {
                tables.records[index][0] = .integer(Self.number(sound.records[index], 0) + 1)
            }
            tables.records.insert(sound.records[record], at: record)
            return (tables, sound.records[record...].map { Self.number($0, 0) })
        case .swappedRecords:
            let other = random.index(in: sound.records.indices)
            guard other != record else { return nil }
            tables.records.swapAt(record, other)
            let (one, two) = (tables.records[record][0], tables.records[other][0])
            (tables.records[record][0], tables.records[other][0]) = (two, one)
            return (tables, [number, Self.number(sound.records[other], 0)])
        case .removedLink:
            guard link != links.last else { return nil }
            tables.links.remove(at: link)
            return (tables, Self.ends(sound.links[link]))
        case .relinked:
            for index in link..<sound.links.count {
                tables.links[index][4] = .blob(random.bytes(KeyedHash.byteCount))
            }
            return (tables, Self.ends(sound.links[link]))
        case .shortFront:
            guard link != links.last else { return nil }
            tables.removeFront(to: link)
            tables.links.removeFirst()
            return (tables, Self.ends(sound.links[link + 1]))
        case .ownCut:
            tables.removeFront(to: link)
            tables.links[0][1] = .integer(Self.number(tables.links[0], 0) + 1)
            tables.links[0][2] = .integer(0)
            return (tables, [])
        case .shortEnd:
            let last = Self.number(sound.links[link], 0)
            guard heads.contains(where: { $0 > last }) else { return nil }
            tables.links.removeSubrange((link + 1)...)
            tables.records.removeAll { Self.number($0, 0) > last }
            return (tables, [])
        case .olderCopy: return (older, [])
        case .emptied: return (TrailStore.Tables(records: [], links: []), [])
        }
    }

    fileprivate static func number(_ row: [SQLValue], _ column: Int) -> Int64 {
        if case .integer(let number) = row[column] { number } else { 0 }
    }

    private static func ends(_ link: [SQLValue]) -> [Int64] { [number(link, 1), number(link, 0)] }
}

extension TrailStore.Tables {
    /// Removes the links before one, and the records up to it.
    fileprivate mutating func removeFront(to link: Int) {
        let last = TrailChange.number(links[link], 0)
        links.removeFirst(link)
        records.removeAll { TrailChange.number($0, 0) <= last }
    }
}

extension [[SQLValue]] {
    /// Changes one bit of a row, of which the first column stays unique.
    /// - Returns: the changed row; nil if the draw changes nothing.
    fileprivate mutating func flip(_ row: Int, _ random: SeededRandomness) -> [SQLValue]? {
        guard let flipped = random.flipped(self[row]) else { return nil }
        let key = TrailChange.number(flipped, 0)
        guard
            key == TrailChange.number(self[row], 0)
                || !contains(where: { TrailChange.number($0, 0) == key })
        else { return nil }
        self[row] = flipped
        return flipped
    }
}

extension SeededRandomness {
    fileprivate func index(in range: Range<Int>) -> Int {
        range.lowerBound + Int(integer() % UInt64(range.count))
    }

    /// The row with one bit of a random column changed; nil if that one is empty. A text stays one
    /// of visible characters: the store refuses others.
    fileprivate func flipped(_ row: [SQLValue]) -> [SQLValue]? {
        var row = row
        let column = index(in: row.indices)
        switch row[column] {
        case .null, .real: return nil
        case .integer(let number):
            row[column] = .integer(number ^ 1 << Int64(index(in: 0..<63)))
        case .blob(let bytes):
            guard let flipped = flipped(bytes, bits: 0..<8) else { return nil }
            row[column] = .blob(flipped)
        case .text(let text):
            guard let flipped = flipped(Array(text.utf8), bits: 0..<1) else { return nil }
            row[column] = .text(String(decoding: flipped, as: UTF8.self))
        }
        return row
    }

    private func flipped(_ bytes: [UInt8], bits: Range<Int>) -> [UInt8]? {
        guard !bytes.isEmpty else { return nil }
        var bytes = bytes
        bytes[index(in: bytes.indices)] ^= 1 << UInt8(index(in: bits))
        return bytes
    }
}
