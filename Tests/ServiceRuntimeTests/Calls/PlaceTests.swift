import ServiceRuntime
import Testing

@Suite("G-22: a place, as metadata and stores have it")
struct PlaceTests {
    @Test("a text that was written is read back, also with a semicolon in the city's name")
    func text() throws {
        let position = Place.Position(latitude: -900, longitude: 1_800)
        for place in [
            Place(country: "DE"), Place(country: "DE", city: "Berlin"),
            Place(country: "JP", city: "Tōkyō; east", position: position),
            Place(country: "JP", position: position),
        ] {
            let place = try #require(place)
            #expect(Place(text: place.text) == place)
        }
        #expect(Place(country: "DE", city: "Berlin")?.text == "DE;;;Berlin")
    }

    @Test(
        "a text that cannot be a place is none",
        arguments: [
            "", "DE", "DE;;", "de;;;", "DEU;;;", ";;;Berlin", "D\u{e9};;;", "DE;1;;", "DE;;1;",
            "DE;901;0;", "DE;0;1801;", "DE;x;0;", "DE;9223372036854775808;0;",
            "DE;-9223372036854775808;0;", "<b>;;;",
        ])
    func malformed(text: String) {
        #expect(Place(text: text) == nil)
    }

    @Test("a name that cannot be shown is left out")
    func names() {
        for name in ["a\u{0}b", "a\nb", "\u{1b}[31m", String(repeating: "x", count: 101)] {
            #expect(Place(country: "DE", city: name)?.shown == "DE")
        }
        #expect(Place(country: "DE", city: "Berlin")?.shown == "Berlin, DE")
    }
}
