import ServiceRuntime
import Testing

@testable import IdentityService

@Suite("G-08: which place of a sign-in is new")
struct SignInMemoryTests {
    private static let berlin = SignInMemory.Origin.place(country: "DE", city: "Berlin")
    private static let leipzig = SignInMemory.Origin.place(country: "DE", city: "Leipzig")
    private static let germany = SignInMemory.Origin.place(country: "DE", city: "")
    private static let france = SignInMemory.Origin.place(country: "FR", city: "")
    private static let network = SignInMemory.Origin.network([UInt8](repeating: 1, count: 16))
    private static let otherNetwork = SignInMemory.Origin.network(
        [UInt8](repeating: 2, count: 16))

    private static func moment(_ number: Int) -> Timestamp {
        Timestamp(milliseconds: Int64(number))
    }

    /// A memory of sign-ins at the moments 1, 2, 3 and so on.
    private func memory(_ origins: [SignInMemory.Origin]) -> SignInMemory {
        var memory = SignInMemory()
        for (index, origin) in origins.enumerated() {
            _ = memory.record(origin, at: Self.moment(index + 1))
        }
        return memory
    }

    @Test(
        "the table",
        arguments: [
            // The first sign-in, and a first one of its kind.
            ([], berlin, false, [berlin]),
            ([], network, false, [network]),
            ([network], berlin, false, [network, berlin]),
            ([berlin], network, false, [berlin, network]),
            // Cities.
            ([berlin], berlin, false, [berlin]),
            ([berlin], leipzig, true, [berlin, leipzig]),
            ([france], leipzig, true, [france, leipzig]),
            ([germany], berlin, false, [berlin]),
            ([network, berlin], leipzig, true, [network, berlin, leipzig]),
            // Countries.
            ([berlin], germany, false, [berlin]),
            ([germany], germany, false, [germany]),
            ([berlin], france, true, [berlin, france]),
            // Networks.
            ([network], network, false, [network]),
            ([network], otherNetwork, true, [network, otherNetwork]),
        ] as [([SignInMemory.Origin], SignInMemory.Origin, Bool, [SignInMemory.Origin])])
    func table(
        known: [SignInMemory.Origin], origin: SignInMemory.Origin, isNew: Bool,
        after: [SignInMemory.Origin]
    ) {
        var memory = memory(known)
        let found = memory.record(origin, at: Self.moment(100))
        #expect(found == isNew)
        #expect(memory.all.map(\.origin) == after)
        #expect(memory.all.contains { $0.last == Self.moment(100) })
    }

    @Test("a file of countries that is replaced by one of cities makes one city known, not all")
    func finer() {
        var memory = memory([Self.germany])
        let first = memory.record(Self.berlin, at: Self.moment(2))
        let second = memory.record(Self.leipzig, at: Self.moment(3))
        #expect(!first && second)
        #expect(memory.all.first?.first == Self.moment(1), "since when it is known")
    }

    @Test("of more than 16 the one unused for longest is dropped, and is new when it returns")
    func bounded() {
        func city(_ number: Int) -> SignInMemory.Origin {
            .place(country: "DE", city: "City \(number)")
        }
        var memory = memory((0..<SignInMemory.originsMax).map(city))
        // The first is used again, so the second is the oldest.
        let known = memory.record(city(0), at: Self.moment(50))
        let added = memory.record(city(99), at: Self.moment(51))
        #expect(!known && added && memory.all.count == SignInMemory.originsMax)
        let kept = memory.record(city(0), at: Self.moment(52))
        let dropped = memory.record(city(1), at: Self.moment(53))
        #expect(!kept && dropped && memory.all.count == SignInMemory.originsMax)
    }

    @Test("it is read as it was written, and has at most 3 KiB with the longest names")
    func stored() throws {
        let origins: [SignInMemory.Origin] = (0..<SignInMemory.originsMax).map { number in
            let end = "\(number)"
            let city = String(repeating: "x", count: Place.cityBytesMax - end.utf8.count) + end
            return .place(country: "DE", city: city)
        }
        var memory = memory(origins)
        #expect(memory.bytes.count <= 3_072)
        _ = memory.record(Self.network, at: Timestamp(milliseconds: .max))
        let read = try SignInMemory(memory.bytes)
        #expect(read == memory)
        #expect(try SignInMemory([]).all.isEmpty)
        #expect(throws: (any Error).self) { try SignInMemory([0xff, 0xff]) }
    }

    @Test("where the previous sign-in was is known by its time; a network is no place")
    func previous() {
        let memory = memory([Self.berlin, Self.network, Self.france])
        #expect(memory.place(at: Self.moment(1))?.shown == "Berlin, DE")
        #expect(memory.place(at: Self.moment(2)) == nil)
        #expect(memory.place(at: Self.moment(3))?.shown == "FR")
        #expect(memory.place(at: Self.moment(4)) == nil)
    }
}
