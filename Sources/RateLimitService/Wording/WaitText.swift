/// A wait as people write it: seconds below a minute, minutes below two hours, hours below two
/// days, then days. Rounded up, so that a user who waits as long as the sentence says is not
/// refused again.
struct WaitText: Hashable {
    enum Unit: CaseIterable {
        case second
        case minute
        case hour
        case day
    }

    let count: Int64
    let unit: Unit

    /// A wait of this many milliseconds; at least a second.
    init(milliseconds: Int64) {
        // Rounded without an addition that a long wait could overflow.
        let seconds = max(1, milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
        switch seconds {
        case ..<60: (count, unit) = (seconds, .second)
        case ..<7_140: (count, unit) = (Self.up(seconds, 60), .minute)
        case ..<169_200: (count, unit) = (Self.up(seconds, 3_600), .hour)
        default: (count, unit) = (Self.up(seconds, 86_400), .day)
        }
    }

    /// The wait as text.
    func text(_ language: LimitLanguage) -> String {
        let (one, many) = Self.words(unit, language)
        return language == .japanese ? "\(count)\(many)" : "\(count) \(count == 1 ? one : many)"
    }

    private static func up(_ seconds: Int64, _ unit: Int64) -> Int64 {
        seconds / unit + (seconds % unit > 0 ? 1 : 0)
    }

    /// Singular and plural, in the form that follows "wait" in the sentences.
    private static func words(_ unit: Unit, _ language: LimitLanguage) -> (String, String) {
        switch (language, unit) {
        case (.english, .second): ("second", "seconds")
        case (.english, .minute): ("minute", "minutes")
        case (.english, .hour): ("hour", "hours")
        case (.english, .day): ("day", "days")
        case (.german, .second): ("Sekunde", "Sekunden")
        case (.german, .minute): ("Minute", "Minuten")
        case (.german, .hour): ("Stunde", "Stunden")
        case (.german, .day): ("Tag", "Tage")
        case (.spanish, .second): ("segundo", "segundos")
        case (.spanish, .minute): ("minuto", "minutos")
        case (.spanish, .hour): ("hora", "horas")
        case (.spanish, .day): ("día", "días")
        case (.french, .second): ("seconde", "secondes")
        case (.french, .minute): ("minute", "minutes")
        case (.french, .hour): ("heure", "heures")
        case (.french, .day): ("jour", "jours")
        case (.japanese, .second): ("秒", "秒")
        case (.japanese, .minute): ("分", "分")
        case (.japanese, .hour): ("時間", "時間")
        case (.japanese, .day): ("日", "日")
        }
    }
}
