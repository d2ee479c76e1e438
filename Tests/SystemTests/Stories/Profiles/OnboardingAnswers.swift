import Foundation

/// What a person answers on the 22 screens of the example of a rules file (D4 3.2).
enum OnboardingAnswers {
    /// The example in the checkout.
    static let rulesFile: String = {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        return here.appending(path: "../../../../docker/rules/nutrition.yaml")
            .standardizedFileURL.path
    }()

    /// The name that the first screen asks for, which becomes the display name.
    static let name = "Ada"

    /// The sections in their order, with answers to everything that is required.
    static let sections: [(name: String, json: String)] = [
        (
            "get-started",
            #"""
            {"name":"Ada","age":36,"biological_sex":"female","height_cm":168,"weight_kg":61.5,
            "activity_level":"moderate"}
            """#
        ),
        ("goals", #"{"primary_goal":"maintain"}"#),
        ("lifestyle", #"{"wake_time":"07:00","bedtime":"23:00","meals_per_day":3}"#),
        ("training", #"{"workouts_per_week":3}"#),
        ("optimization", "{}"),
    ]
}
