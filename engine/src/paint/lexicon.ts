/** The words of a prompt that the engine knows, in English and Chinese. */

/** The setting of a scene, which decides its ground. */
export type Place =
  | 'sea'
  | 'lake'
  | 'mountains'
  | 'city'
  | 'forest'
  | 'desert'
  | 'meadow'
  | 'space'
  | 'underwater'
  | 'studio'
  | 'abstract';

/** A thing that can be drawn. */
export type Thing =
  | 'sun'
  | 'moon'
  | 'stars'
  | 'clouds'
  | 'rain'
  | 'snow'
  | 'fog'
  | 'lightning'
  | 'aurora'
  | 'rainbow'
  | 'fire'
  | 'trees'
  | 'flowers'
  | 'person'
  | 'cat'
  | 'dog'
  | 'fox'
  | 'wolf'
  | 'bird'
  | 'fish'
  | 'boat'
  | 'house'
  | 'balloon'
  | 'lighthouse'
  | 'castle'
  | 'rocket'
  | 'planet'
  | 'butterfly'
  | 'leaves'
  | 'fireflies'
  | 'car'
  | 'mountains'
  | 'city';

/** Time of day: decides the light. */
export type Time = 'dawn' | 'day' | 'sunset' | 'dusk' | 'night';
/** Changes the colours of a scene. */
export type Mood =
  | 'neon'
  | 'autumn'
  | 'spring'
  | 'winter'
  | 'storm'
  | 'noir'
  | 'pastel'
  | 'warm'
  | 'cold'
  | 'dream';
/** Camera movement and pace. */
export type Move = 'left' | 'right' | 'in' | 'out' | 'up' | 'still' | 'fast' | 'slow' | 'wind';
/** A colour that the prompt names, as `#rrggbb`. */
export type Hue = keyof typeof hueWords;

/** English words match as whole words, also in the plural; Chinese ones anywhere. The first place found wins. */
export const placeWords: Readonly<Record<Exclude<Place, 'abstract'>, string>> = {
  underwater: 'underwater|deep sea|coral|reef|aquarium|海底|水下|珊瑚',
  space:
    'space|galaxy|nebula|cosmos|universe|planet|astronaut|spaceship|orbit|太空|宇宙|星系|银河|星球|宇航员',
  sea: 'sea|ocean|beach|coast|seaside|wave|harbour|harbor|bay|island|surf|ship|boat|sailboat|lighthouse|whale|海|沙滩|浪|港|岛|船',
  lake: 'lake|river|pond|stream|waterfall|fjord|湖|河|江|溪|瀑布|池塘',
  city: 'city|town|street|skyline|skyscraper|building|downtown|urban|metropolis|cyberpunk|neon|tokyo|new york|shanghai|paris|road|car|城市|都市|街|高楼|大厦|上海|东京',
  desert: 'desert|dune|sahara|canyon|camel|沙漠|沙丘|戈壁',
  forest: 'forest|wood|woods|woodland|jungle|pine|tree|bamboo|森林|树林|丛林|竹林|树',
  mountains: 'mountain|peak|alps|cliff|summit|valley|hill|volcano|山|峰|悬崖|峡谷',
  meadow:
    'meadow|field|garden|grass|park|farm|flower|lawn|prairie|village|countryside|草原|草地|花园|花|田|公园|村',
  studio: 'studio|portrait|product|room|interior|bottle|perfume|logo|icon|close-up|人像|肖像|室内|产品|房间',
};

/** Words for things; every one found is drawn. */
export const thingWords: Readonly<Record<Thing, string>> = {
  sun: 'sun|sunny|sunlight|sunrise|sunset|sunshine|golden hour|太阳|阳光|日出|日落|夕阳|朝阳',
  moon: 'moon|moonlight|moonlit|lunar|月亮|月光|明月',
  stars: 'star|starry|milky way|constellation|galaxy|星空|星星|繁星|银河',
  clouds: 'cloud|cloudy|overcast|云',
  rain: 'rain|rainy|drizzle|downpour|雨',
  snow: 'snow|snowy|snowfall|blizzard|snowflake|雪',
  fog: 'fog|foggy|mist|misty|haze|hazy|雾',
  lightning: 'lightning|thunder|thunderstorm|闪电|雷',
  aurora: 'aurora|northern light|polar light|极光',
  rainbow: 'rainbow|彩虹',
  fire: 'fire|flame|campfire|bonfire|burning|torch|volcano|lava|火',
  trees: 'tree|forest|wood|woods|woodland|jungle|pine|palm|grove|bamboo|oak|树|森林|竹',
  flowers: 'flower|blossom|rose|tulip|sunflower|lavender|daisy|bloom|petal|sakura|poppy|花|樱|玫瑰',
  person:
    'person|people|man|woman|girl|boy|child|kid|dancer|astronaut|traveller|traveler|hiker|monk|samurai|knight|king|queen|princess|portrait|warrior|人|女孩|男孩|女人|男人|少女|少年|孩子|老人|舞者',
  cat: 'cat|kitten|kitty|feline|猫',
  dog: 'dog|puppy|corgi|animal|狗|犬',
  fox: 'fox|vixen|狐',
  wolf: 'wolf|wolves|狼',
  bird: 'bird|eagle|seagull|gull|swallow|crane|owl|dove|parrot|flock|鸟|鹰|鹤|燕',
  fish: 'fish|dolphin|whale|shark|goldfish|koi|鱼|鲸|海豚',
  boat: 'boat|ship|sailboat|yacht|canoe|sailing|sail|船|帆',
  house: 'house|cottage|cabin|hut|home|barn|village|farm|房|屋|木屋|村',
  balloon: 'balloon|热气球|气球',
  lighthouse: 'lighthouse|灯塔',
  castle: 'castle|palace|tower|temple|fortress|pagoda|城堡|宫|塔|寺',
  rocket: 'rocket|spaceship|spacecraft|spaceman|火箭|飞船',
  planet: 'planet|saturn|jupiter|mars|行星|星球|土星|火星',
  butterfly: 'butterfly|butterflies|moth|dragonfly|bee|蝴蝶|蜻蜓|蜜蜂',
  leaves: 'leaf|leaves|autumn|fall foliage|maple|落叶|秋|枫',
  fireflies: 'firefly|fireflies|sparkle|magic|magical|fairy|glowing|萤火虫|魔法|精灵|闪光',
  car: 'car|sports car|vehicle|taxi|truck|bus|汽车|跑车|出租车',
  mountains: 'mountain|peak|alps|summit|fjord|volcano|山|峰',
  city: 'city|skyline|skyscraper|metropolis|downtown|cyberpunk|城市|都市|高楼',
};

/** The first time found wins. */
export const timeWords: Readonly<Record<Time, string>> = {
  night:
    'night|midnight|moonlit|moon|starry|star|firefly|fireflies|aurora|neon|cyberpunk|夜|星空|月|极光|萤火',
  sunset: 'sunset|golden hour|golden light|evening|日落|夕阳|黄昏|傍晚|晚霞',
  dawn: 'dawn|sunrise|morning|daybreak|日出|清晨|早晨|黎明|朝',
  dusk: 'dusk|twilight|blue hour|暮|薄暮',
  day: 'day|daylight|noon|midday|sunny|afternoon|blue sky|summer|白天|正午|晴|下午|夏',
};

/** Every mood found is applied, in this order. */
export const moodWords: Readonly<Record<Mood, string>> = {
  neon: 'neon|cyberpunk|synthwave|vaporwave|futuristic|霓虹|赛博|未来',
  storm: 'storm|stormy|thunder|tempest|lightning|dramatic|downpour|暴风|雷|暴雨|风暴',
  winter: 'winter|snow|snowy|ice|icy|frozen|arctic|christmas|冬|雪|冰',
  autumn: 'autumn|fall foliage|maple|harvest|october|秋|枫|落叶',
  spring: 'spring|blossom|sakura|cherry|bloom|easter|春|樱|花开',
  noir: 'noir|black and white|monochrome|grayscale|黑白|单色',
  pastel: 'pastel|soft|gentle|cute|kawaii|delicate|calm|peaceful|serene|柔|可爱|宁静|平静|温柔',
  warm: 'warm|cozy|cosy|golden|happy|joyful|joy|温暖|快乐|金色',
  cold: 'cold|sad|melancholy|lonely|gloomy|moody|mysterious|冷|悲伤|忧郁|孤独|神秘',
  dream: 'dream|dreamy|fantasy|surreal|magic|magical|ethereal|psychedelic|梦|幻|魔法|奇幻',
};

/** Words for camera movement; every one found counts. */
export const moveWords: Readonly<Record<Move, string>> = {
  left: 'pan left|move left|left|向左|左移|左摇',
  right: 'pan right|move right|right|向右|右移|右摇',
  in: 'zoom in|push in|dolly in|close in|approach|approaching|推近|推进|拉近|靠近|放大',
  out: 'zoom out|pull back|pull out|dolly out|reveal|拉远|后退|缩小',
  up: 'tilt up|crane up|rise|rising|ascend|fly|flying|soar|上升|升起|飞',
  still: 'still|static|motionless|fixed camera|静止|固定镜头|不动',
  fast: 'fast|quick|rapid|racing|running|rush|speed|dynamic|action|快|奔跑|疾|冲',
  slow: 'slow|slowly|gentle|gently|calm|peaceful|drift|drifting|慢|缓|轻轻|宁静',
  wind: 'wind|windy|breeze|blowing|storm|swaying|风|飘|摇曳',
};

/** Colour words by the colour that they stand for. */
export const hueWords = {
  '#d83a3a': 'red|crimson|scarlet|ruby|红',
  '#f08a32': 'orange|amber|copper|橙|橘',
  '#f2c230': 'yellow|gold|golden|lemon|黄|金色',
  '#3f9e57': 'green|emerald|olive|jade|绿|翠',
  '#23a6a6': 'teal|turquoise|cyan|aqua|青',
  '#2f6fd6': 'blue|azure|navy|sapphire|cobalt|蓝',
  '#7d4bc9': 'purple|violet|indigo|lavender|magenta|紫',
  '#ef7fb0': 'pink|fuchsia|粉',
  '#8a5a35': 'brown|sepia|wooden|chocolate|棕|褐',
} as const;

/** Keys of a table that the text mentions, in the order of the table. */
export function findMentioned<K extends string>(table: Readonly<Record<K, string>>, text: string): K[] {
  const found: K[] = [];
  for (const key in table) if (mentions(text, table[key])) found.push(key);
  return found;
}

/** Chinese has no spaces between words, so its words match as substrings. */
function mentions(text: string, alternatives: string): boolean {
  return alternatives
    .split('|')
    .some(word =>
      /^[a-z]/.test(word)
        ? new RegExp(`(?<![a-z])${word}(s|es)?(?![a-z])`, 'i').test(text)
        : text.includes(word),
    );
}
